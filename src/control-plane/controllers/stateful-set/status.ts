import type { Pod } from '#platform/kube/kinds/pod';
import type { StatefulSet } from '#platform/kube/kinds/workloads';
import { availableIn, isDeletionRequested } from '../replicas/pod-state.ts';
import { isRunningAndReady, revisionNameOf, type SetRevisions } from './plan.ts';

type Status = NonNullable<StatefulSet['status']>;

/** Counts the pods of a set, and completes a rollout once all of them are of the newest revision and available. */
export function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update }: SetRevisions,
  now: number,
): Status {
  const count = (fits: (pod: Pod) => boolean) => pods.filter(fits).length;
  const isOf = (revision: string | undefined) => (pod: Pod) =>
    !isDeletionRequested(pod) && revisionNameOf(pod) === revision;
  const { collisionCount, conditions } = set.status ?? {};
  const counted = {
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    availableReplicas: count((pod) => isRunningAndReady(pod) && waitOf(set, pod, now) === 0),
    currentReplicas: count(isOf(current.metadata.name)),
    updatedReplicas: count(isOf(update.metadata.name)),
  };
  const { replicas = 1, updateStrategy } = set.spec;
  const isComplete =
    updateStrategy?.type !== 'OnDelete' &&
    [counted.updatedReplicas, counted.readyReplicas, counted.availableReplicas, counted.replicas].every(
      (number) => number === replicas,
    );
  const status = {
    ...counted,
    ...(isComplete ? { currentReplicas: counted.updatedReplicas } : {}),
    currentRevision: (isComplete ? update : current).metadata.name ?? '',
    updateRevision: update.metadata.name ?? '',
    collisionCount: collisionCount ?? 0,
    ...(conditions === undefined ? {} : { conditions }),
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
  };
  return withoutZeros(status);
}

/** Leaves out the counts that Kubernetes omits if they are zero. */
function withoutZeros(status: Status): Status {
  const { readyReplicas, currentReplicas, updatedReplicas, ...rest } = status;
  const optional = Object.entries({ readyReplicas, currentReplicas, updatedReplicas });
  return { ...rest, ...Object.fromEntries(optional.filter(([, count]) => count !== undefined && count > 0)) };
}

const waitOf = ({ spec }: StatefulSet, pod: Pod, now: number): number | undefined =>
  availableIn(pod, spec.minReadySeconds ?? 0, now);
