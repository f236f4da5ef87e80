import type { Pool } from '#api/novacron/resources';
import { partOfWhole } from '#platform/kube/kinds/workloads';

/** Limits on how far a rollout may deviate from the desired number of VMs. */
export interface PoolLimits {
  readonly surge: number;
  readonly unavailable: number;
  /** Number of the oldest VMs that keep their template. */
  readonly partition: number;
  readonly recreate: boolean;
}

export function poolLimits({ spec }: Pool, desired: number): PoolLimits {
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type === 'Recreate') return { surge: 0, unavailable: desired, partition: 0, recreate: true };
  const { maxSurge = 1, maxUnavailable = 0, partition = 0 } = rollingUpdate ?? {};
  const surge = countOf(maxSurge, desired, 'up');
  const unavailable = Math.min(desired, countOf(maxUnavailable, desired, 'down'));
  // With both at 0 the rollout could never progress; this happens when percentages are rounded.
  return {
    surge,
    unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable,
    partition: Math.min(partition, desired),
    recreate: false,
  };
}

/** A number may also be written as text. */
function countOf(amount: number | string, whole: number, round: 'up' | 'down'): number {
  return partOfWhole(typeof amount === 'string' && !amount.endsWith('%') ? Number(amount) : amount, whole, round);
}

/** Bounds of the number of VMs. An autoscaled pool has at least one, like the targets of a HorizontalPodAutoscaler. */
export function boundsOf({ spec }: Pool): { readonly min: number; readonly max: number } {
  const { minReplicas, maxReplicas = Number.POSITIVE_INFINITY, autoscaling } = spec;
  const min = minReplicas ?? (autoscaling?.enabled === true ? 1 : 0);
  return { min: Math.min(min, maxReplicas), max: maxReplicas };
}

export const isAutoscaled = ({ spec }: Pool): boolean => spec.autoscaling?.enabled === true;

/** Returns the number of VMs that the spec requests, within its bounds. */
export function requestedReplicas(pool: Pool): number {
  const { min, max } = boundsOf(pool);
  return Math.max(min, Math.min(max, pool.spec.replicas ?? Math.max(1, min)));
}
