import { type Deployment, partOfWhole, type ReplicaSet } from '#platform/kube/kinds/workloads';

/** Limits on how far a rollout may deviate from the number of replicas. */
export interface Limits {
  readonly replicas: number;
  /** Maximum number of pods above the replicas. */
  readonly surge: number;
  /** Maximum number of pods below the replicas. */
  readonly unavailable: number;
}

export function limitsOf({ spec }: Deployment): Limits {
  const { replicas = 1, strategy } = spec;
  if (strategy?.type === 'Recreate') return { replicas, surge: 0, unavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {};
  const surge = partOfWhole(maxSurge, replicas, 'up');
  const unavailable = Math.min(replicas, partOfWhole(maxUnavailable, replicas, 'down'));
  // With both at 0 the rollout could never progress.
  return { replicas, surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const desiredReplicas = ({ spec }: ReplicaSet) => spec.replicas ?? 1;
export const availableOf = ({ status }: ReplicaSet) => status?.availableReplicas ?? 0;

export function total(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

/** Orders by creation time, then by name. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
