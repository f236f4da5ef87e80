import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import { byAge } from './migration-queue.ts';
import { EVACUATION_LABEL, WORKLOAD_UPDATE_LABEL } from './settings.ts';
import { isMigrationFinished, phaseOf, since } from './status.ts';
import { hasTargetSize } from './target-size.ts';

/** A node that instances have to leave. */
export interface DrainedNode {
  readonly node: string;
  /** Whether everything that can leave has to, not only what an eviction asked for. */
  readonly draining: boolean;
  /** The instances on it. */
  readonly instances: readonly Vmi[];
  readonly migrationsOf: (vmi: Vmi) => readonly Vmim[];
  /** The pod that the machine of an instance is in. */
  readonly activePodOf: (vmi: Vmi) => Pod | undefined;
  readonly now: number;
}

/** Why an instance is to be moved, as the label of its migration says. */
export type EvacuationReason = typeof EVACUATION_LABEL | typeof WORKLOAD_UPDATE_LABEL;

export interface Evacuation {
  /** Instances that are to be moved now. */
  readonly migrate: readonly { readonly vmi: Vmi; readonly reason: EvacuationReason }[];
  /** When another may be, though nothing happens. */
  readonly requeueAfterMs?: number;
}

const FIRST_BACK_OFF_MS = 20_000;

/** Whom to move off a node, because it is left or because they outgrow their place: as many as may leave it at once, none that has failed a moment ago. */
export function planEvacuation(view: DrainedNode, limit: number): Evacuation {
  const { instances, migrationsOf, now } = view;
  let free = limit;
  let requeueAfterMs: number | undefined;
  const ready: { vmi: Vmi; reason: EvacuationReason }[] = [];
  for (const vmi of instances) {
    const migrations = migrationsOf(vmi);
    const reason = reasonToMove(vmi, view);
    if (migrations.some((vmim) => !isMigrationFinished(vmim))) free--;
    else if (reason !== undefined) {
      const wait = backOffEnd(migrations, reason) - now;
      if (wait <= 0) ready.push({ vmi, reason });
      else requeueAfterMs = Math.min(requeueAfterMs ?? wait, wait);
    }
  }
  // Whoever has to leave goes before whoever would like to grow.
  ready.sort((a, b) => Number(b.reason === EVACUATION_LABEL) - Number(a.reason === EVACUATION_LABEL));
  return { migrate: ready.slice(0, Math.max(0, free)), ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
}

/** Whether an instance is one that an eviction moves. */
export function migratesOnEviction({ spec, status }: Vmi): boolean {
  const movable = status?.conditions?.find(({ type }) => type === 'LiveMigratable')?.status;
  if (movable === 'False') return false;
  const { evictionStrategy } = spec;
  return evictionStrategy === 'LiveMigrate' || (evictionStrategy === 'LiveMigrateIfPossible' && movable === 'True');
}

/** Whether a machine waits for a launcher of another size. */
export function needsWorkloadUpdate({ status }: Vmi): boolean {
  return (status?.conditions ?? []).some((each) => each.status === 'True' && HOT_CHANGES.has(each.type));
}

function reasonToMove(vmi: Vmi, { node, draining, activePodOf }: DrainedNode): EvacuationReason | undefined {
  const { phase, nodeName, evacuationNodeName } = vmi.status ?? {};
  if (nodeName !== node || phase !== 'Running' || isFinal(vmi) || isTerminating(vmi)) return undefined;
  if (migratesOnEviction(vmi) && (draining || evacuationNodeName === node)) return EVACUATION_LABEL;
  // What it says of itself may be older than what it is to be: such a migration would be taken back at once.
  return needsWorkloadUpdate(vmi) && hasTargetSize(vmi, activePodOf(vmi)) !== true ? WORKLOAD_UPDATE_LABEL : undefined;
}

/** Until when an instance is left alone: 20 s after its first failure in a row, twice as long after each further one. */
function backOffEnd(migrations: readonly Vmim[], reason: EvacuationReason): number {
  const evacuations = migrations
    // One that was taken back has not failed.
    .filter(({ metadata: { labels, deletionTimestamp } }) => labels?.[reason] !== undefined && !deletionTimestamp)
    .map((vmim) => ({ vmim }))
    .sort(byAge)
    .map(({ vmim }) => vmim);
  const succeeded = evacuations.findLastIndex((vmim) => phaseOf(vmim) === 'Succeeded');
  const failures = evacuations.slice(succeeded + 1);
  const last = failures.at(-1);
  if (last === undefined) return 0;
  const at = since(last, 'Failed') ?? Date.parse(last.metadata.creationTimestamp);
  return at + FIRST_BACK_OFF_MS * 2 ** (failures.length - 1);
}
