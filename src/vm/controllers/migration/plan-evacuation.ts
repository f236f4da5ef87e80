import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import { byAge } from './migration-queue.ts';
import { EVACUATION_LABEL, WORKLOAD_UPDATE_LABEL } from './settings.ts';
import { isMigrationFinished, migrationPhaseOf, since } from './status.ts';
import { hasTargetSize } from './target-size.ts';

/** Node that instances have to leave. */
export interface DrainedNode {
  readonly node: string;
  /** Set if everything that can leave has to, not only instances with an eviction request. */
  readonly draining: boolean;
  readonly instances: readonly Vmi[];
  readonly migrationsOf: (vmi: Vmi) => readonly Vmim[];
  /** Returns the pod that an instance runs in. */
  readonly activePodOf: (vmi: Vmi) => Pod | undefined;
  readonly now: number;
}

/** Reason to migrate an instance, as the label of its migration. */
export type EvacuationReason = typeof EVACUATION_LABEL | typeof WORKLOAD_UPDATE_LABEL;

export interface Evacuation {
  /** Instances to migrate now. */
  readonly migrate: readonly { readonly vmi: Vmi; readonly reason: EvacuationReason }[];
  /** Delay after which another instance may be migrated without any event. */
  readonly requeueAfterMs?: number;
}

const FIRST_BACK_OFF_MS = 20_000;

/**
 * Selects the instances to migrate off a node that is drained, or because they need another size. It respects the limit
 * of the node and skips recent failures.
 */
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
  // Instances that have to leave come before those that change their size.
  ready.sort((a, b) => Number(b.reason === EVACUATION_LABEL) - Number(a.reason === EVACUATION_LABEL));
  return { migrate: ready.slice(0, Math.max(0, free)), ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
}

/** Reports whether an eviction migrates the instance. */
export function migratesOnEviction({ spec, status }: Vmi): boolean {
  const movable = status?.conditions?.find(({ type }) => type === 'LiveMigratable')?.status;
  if (movable === 'False') return false;
  const { evictionStrategy } = spec;
  return evictionStrategy === 'LiveMigrate' || (evictionStrategy === 'LiveMigrateIfPossible' && movable === 'True');
}

/** Reports whether an instance waits for a launcher of another size. */
export function needsWorkloadUpdate({ status }: Vmi): boolean {
  return (status?.conditions ?? []).some((each) => each.status === 'True' && HOT_CHANGES.has(each.type));
}

function reasonToMove(vmi: Vmi, { node, draining, activePodOf }: DrainedNode): EvacuationReason | undefined {
  const { phase, nodeName, evacuationNodeName } = vmi.status ?? {};
  if (nodeName !== node || phase !== 'Running' || isFinal(vmi) || isTerminating(vmi)) return undefined;
  if (migratesOnEviction(vmi) && (draining || evacuationNodeName === node)) return EVACUATION_LABEL;
  // The conditions may be older than the target size, in which case the migration would be cancelled at once.
  return needsWorkloadUpdate(vmi) && hasTargetSize(vmi, activePodOf(vmi)) !== true ? WORKLOAD_UPDATE_LABEL : undefined;
}

/**
 * Returns the end of the back-off of an instance: 20 s after its first failure in a row, doubled with each further one.
 */
function backOffEnd(migrations: readonly Vmim[], reason: EvacuationReason): number {
  const evacuations = migrations
    // A cancelled migration has not failed.
    .filter(({ metadata: { labels, deletionTimestamp } }) => labels?.[reason] !== undefined && !deletionTimestamp)
    .map((vmim) => ({ vmim }))
    .sort(byAge)
    .map(({ vmim }) => vmim);
  const succeeded = evacuations.findLastIndex((vmim) => migrationPhaseOf(vmim) === 'Succeeded');
  const failures = evacuations.slice(succeeded + 1);
  const last = failures.at(-1);
  if (last === undefined) return 0;
  const at = since(last, 'Failed') ?? Date.parse(last.metadata.creationTimestamp);
  return at + FIRST_BACK_OFF_MS * 2 ** (failures.length - 1);
}
