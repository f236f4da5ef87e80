import type { Vmim } from '#api/kubevirt/resources';
import type { MigrationLimits } from './settings.ts';

/** Migration with the facts that the limits depend on. */
export interface MigrationCandidate {
  readonly vmim: Vmim;
  /** Key of the instance that it moves. */
  readonly instance: string;
  /** Source node. '' if the instance does not run, in which case the migration cannot start. */
  readonly node: string;
}

/**
 * Returns the migrations that may start now, in order of creation. The limits count those in progress, and an instance
 * has one at a time.
 */
export function migrationsToStart(
  waiting: readonly MigrationCandidate[],
  underWay: readonly MigrationCandidate[],
  { perCluster, outboundPerNode }: MigrationLimits,
): MigrationCandidate[] {
  const busy = new Set(underWay.map(({ instance }) => instance));
  const outbound = new Map<string, number>();
  for (const { node } of underWay) outbound.set(node, (outbound.get(node) ?? 0) + 1);
  let free = perCluster - underWay.length;
  const begin: MigrationCandidate[] = [];
  for (const candidate of [...waiting].sort(byAge)) {
    if (free <= 0) break;
    const { instance, node } = candidate;
    const leaving = outbound.get(node) ?? 0;
    if (node === '' || busy.has(instance) || leaving >= outboundPerNode) continue;
    busy.add(instance);
    outbound.set(node, leaving + 1);
    free--;
    begin.push(candidate);
  }
  return begin;
}

export function byAge(
  { vmim: a }: Pick<MigrationCandidate, 'vmim'>,
  { vmim: b }: Pick<MigrationCandidate, 'vmim'>,
): number {
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Returns the finished migrations of an instance to delete, which are all but the newest. */
export function migrationsToPrune(finished: readonly Vmim[], kept: number): Vmim[] {
  const sorted = finished.map((vmim) => ({ vmim })).sort(byAge);
  return sorted.slice(0, Math.max(0, sorted.length - kept)).map(({ vmim }) => vmim);
}
