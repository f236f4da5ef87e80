import type { ControllerRevision, DaemonSet } from '#platform/kube/kinds/workloads';
import { isDeletionRequested, isReady } from '../replicas/pod-state.ts';
import { type DaemonNode, isAvailable, isUpdated } from './plan.ts';

type Status = NonNullable<DaemonSet['status']>;

/** Counts the nodes of a DaemonSet by the state of their pods. */
export function daemonSetStatus(
  set: DaemonSet,
  nodes: readonly DaemonNode[],
  update: ControllerRevision,
  now: number,
): Status {
  const desired = nodes.filter(({ runs }) => runs);
  const having = (fits: (node: DaemonNode) => boolean) => desired.filter(fits).length;
  const available = having(({ pods }) => pods.some((pod) => !isDeletionRequested(pod) && isAvailable(pod, set, now)));
  const updated = having(({ pods }) => pods.some((pod) => isUpdated(pod, update)));
  const unavailable = desired.length - available;
  const { collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: having(({ pods }) => pods.length > 0),
    numberMisscheduled: nodes.filter(({ runs, pods }) => !runs && pods.length > 0).length,
    desiredNumberScheduled: desired.length,
    numberReady: having(({ pods }) => pods.some(isReady)),
    ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
    ...(available === 0 ? {} : { numberAvailable: available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}
