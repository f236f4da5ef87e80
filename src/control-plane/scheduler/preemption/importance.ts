import type { PodInfo } from '../pod/pod-info.ts';

/** Later than every start: a pod that has not begun yet is the newest of all. */
const NOT_YET = '9999';

/** When a pod began. */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? NOT_YET;
}

/**
 * The most important first: higher priority, then longer running. Of those that have not begun the one that came last
 * counts more, which is what kube-scheduler's comparison with the present moment comes to.
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
