import type { Vmim } from '#api/kubevirt/resources';
import type { MigrationLimits } from './settings.ts';

/** A migration, as the limits see it. */
export interface MigrationCandidate {
  readonly vmim: Vmim;
  /** The key of the instance that it moves. */
  readonly instance: string;
  /** The node that it leaves; '' where the instance does not run, so that it cannot begin. */
  readonly node: string;
}

/**
 * The migrations that may begin now, in the order in which they were asked for: as many as the limits leave room for
 * beside those under way, one for an instance.
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

/** Finished migrations of one instance that are not kept any longer: all but the youngest. */
export function migrationsToPrune(finished: readonly Vmim[], kept: number): Vmim[] {
  const sorted = finished.map((vmim) => ({ vmim })).sort(byAge);
  return sorted.slice(0, Math.max(0, sorted.length - kept)).map(({ vmim }) => vmim);
}
