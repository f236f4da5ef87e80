import { type Deployment, partOfWhole, type ReplicaSet } from '#platform/kube/kinds/workloads';

/** How far a rollout may stray from the number of replicas. */
export interface Limits {
  readonly replicas: number;
  /** Pods beyond the number that may be there. */
  readonly surge: number;
  /** Pods of the number that may be missing. */
  readonly unavailable: number;
}

export function limitsOf({ spec }: Deployment): Limits {
  const { replicas = 1, strategy } = spec;
  if (strategy?.type === 'Recreate') return { replicas, surge: 0, unavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {};
  const surge = partOfWhole(maxSurge, replicas, 'up');
  const unavailable = Math.min(replicas, partOfWhole(maxUnavailable, replicas, 'down'));
  // With neither, nothing could ever move.
  return { replicas, surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export const desiredReplicas = ({ spec }: ReplicaSet) => spec.replicas ?? 1;
export const availableOf = ({ status }: ReplicaSet) => status?.availableReplicas ?? 0;

export function total(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

/** The older first; of two as old, by name. */
export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
