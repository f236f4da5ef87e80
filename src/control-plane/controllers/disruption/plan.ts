import { timestamp } from '#platform/base/timestamp';
import { conditionOf, withCondition } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { partOfWhole } from '#platform/kube/kinds/workloads';

type Spec = NonNullable<PodDisruptionBudget['spec']>;
type Status = NonNullable<PodDisruptionBudget['status']>;

/** A pod that still exists this long after its eviction was granted is not expected to go, and counts again. */
const GRANTED_MS = 2 * 60_000;

/** Expected number of pods, and how many of them must be healthy. */
export interface DisruptionDemand {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Reports whether a budget refers to the scale of the controllers of its pods rather than to the existing pods. */
export function needsScale({ minAvailable, maxUnavailable }: Spec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === 'string';
}

/** Computes the demand of a budget. `scale` is the desired number of pods of all controllers of the selected pods. */
export function demandOf({ minAvailable = 0, maxUnavailable }: Spec, pods: number, scale: number): DisruptionDemand {
  if (maxUnavailable !== undefined) {
    const desiredHealthy = Math.max(0, scale - partOfWhole(maxUnavailable, scale, 'up'));
    return { expectedPods: scale, desiredHealthy };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods, desiredHealthy: minAvailable };
  return { expectedPods: scale, desiredHealthy: partOfWhole(minAvailable, scale, 'up') };
}

/** Returns the status of a budget and when to reconcile again even without an event. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { expectedPods, desiredHealthy }: DisruptionDemand,
  now: number,
): { readonly status: Status; readonly againMs: number | undefined } {
  const granted = stillGranted(budget.status?.disruptedPods ?? {}, pods, now);
  const currentHealthy = pods.filter(
    (pod) => isHealthy(pod) && !Object.hasOwn(granted.pods, pod.metadata.name ?? ''),
  ).length;
  const spare = currentHealthy - desiredHealthy;
  const disruptionsAllowed = expectedPods <= 0 || spare <= 0 ? 0 : spare;
  const { generation } = budget.metadata;
  const condition = {
    type: 'DisruptionAllowed',
    status: disruptionsAllowed > 0 ? ('True' as const) : ('False' as const),
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return {
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(Object.keys(granted.pods).length === 0 ? {} : { disruptedPods: granted.pods }),
      disruptionsAllowed,
      currentHealthy,
      desiredHealthy,
      expectedPods,
      conditions: withCondition(budget.status?.conditions, condition, timestamp(now)),
    },
    againMs: granted.againMs,
  };
}

/** Returns the status of a budget that cannot be computed, which allows no disruption. */
export function failedStatus(budget: PodDisruptionBudget, why: string, now: number): Status {
  const { generation } = budget.metadata;
  const none = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False' as const,
    reason: 'SyncFailed',
    message: why,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return {
    ...none,
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: withCondition(budget.status?.conditions, condition, timestamp(now)),
  };
}

/** Returns the granted evictions whose pods are not gone yet. */
function stillGranted(granted: Readonly<Record<string, string>>, pods: readonly Pod[], now: number) {
  const living = new Set(pods.filter(isLiving).map(({ metadata }) => metadata.name));
  const kept: Record<string, string> = {};
  let againMs: number | undefined;
  for (const [name, time] of Object.entries(granted)) {
    const left = Date.parse(time) + GRANTED_MS - now;
    if (!living.has(name) || left <= 0) continue;
    kept[name] = time;
    againMs = Math.min(againMs ?? left, left);
  }
  return { pods: kept, againMs };
}

const isLiving = ({ metadata }: Pod) => metadata.deletionTimestamp === undefined;

function isHealthy(pod: Pod): boolean {
  return isLiving(pod) && conditionOf(pod.status?.conditions, 'Ready')?.status === 'True';
}
