import type { PodInfo } from '../pod/pod-info.ts';

/** Later than every start time: a pod that has not started is the newest of all. */
const NOT_YET = '9999';

/** Returns the start time of a pod. */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? NOT_YET;
}

/**
 * Sorts the most important pods first: by higher priority, then by longer runtime. Of pods that have not started the
 * last one counts more, which matches kube-scheduler's comparison with the current time.
 */
export function byImportance(pods: readonly PodInfo[]): PodInfo[] {
  const places = new Map(pods.map((pod, place) => [pod, place]));
  const placeOf = (pod: PodInfo) => places.get(pod) ?? 0;
  return pods.toSorted((a, b) => {
    if (a.priority !== b.priority) return b.priority - a.priority;
    const [first, second] = [startOf(a), startOf(b)];
    if (first !== second) return first < second ? -1 : 1;
    return first === NOT_YET ? placeOf(b) - placeOf(a) : placeOf(a) - placeOf(b);
  });
}
