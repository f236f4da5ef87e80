import { MIGRATION_LABEL, MOVED_AT_ANNOTATION } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { Cache } from '#platform/runtime/cache';
import { budgetsOf } from './disruption-budgets.ts';
import type { ExportedRules } from './fleet-backend.ts';
import { isLive } from './launcher-usage.ts';
import type { NodeAcceptance } from './node-acceptance.ts';
import { requestsOf } from './requests.ts';
import { podsByVm, vmKey } from './wait-for-placement.ts';

interface RuleSources {
  /** Time of day in milliseconds. */
  readonly now: number;
  readonly budgets: Iterable<PodDisruptionBudget>;
  readonly acceptance: NodeAcceptance;
}

/** Returns what restricts the moves of the VM of a pod, in the names of the HTTP API. */
export function moveRulesOf(pod: Pod, { now, budgets, acceptance }: RuleSources): ExportedRules {
  const { cores, bytes } = requestsOf(pod);
  const excluded = acceptance.excludedFor(pod);
  const limits = budgetsOf(pod, budgets);
  const movedAt = movedAtOf(pod);
  return {
    cpu_request: cores,
    memory_request: bytes,
    ...(excluded.length === 0 ? {} : { excluded_nodes: excluded }),
    ...(limits.length === 0
      ? {}
      : { budgets: limits.map(({ name, allowed }) => ({ name, disruptions_allowed: allowed })) }),
    ...(movedAt === undefined ? {} : { seconds_since_move: Math.max(0, Math.round((now - movedAt) / 1000)) }),
  };
}

/** Returns when the VM of a pod moved to its node, in milliseconds. The target pod of a migration is as old as that. */
function movedAtOf({ metadata: { labels, annotations, creationTimestamp } }: Pod): number | undefined {
  const isTarget = labels?.[MIGRATION_LABEL] !== undefined;
  const at = Date.parse(annotations?.[MOVED_AT_ANNOTATION] ?? (isTarget ? (creationTimestamp ?? '') : ''));
  return Number.isNaN(at) ? undefined : at;
}

/** Reports whether a pod is the target of a migration that is in progress. Its VM is still on the source. */
export function isArriving(pod: Pod, pods: Cache<Pod>): boolean {
  const { labels, uid, creationTimestamp } = pod.metadata;
  if (labels?.[MIGRATION_LABEL] === undefined) return false;
  const isEarlier = (other: Pod) => (other.metadata.creationTimestamp ?? '') <= (creationTimestamp ?? '');
  return [...pods.by(podsByVm, vmKey(pod) ?? '')].some(
    (other) => other.metadata.uid !== uid && isLive(other) && isEarlier(other),
  );
}
