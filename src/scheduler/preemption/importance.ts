import type { PodInfo } from '../pod/pod-info.ts';

/** When a pod began; one that has not yet is the newest of all. */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? '9999';
}

/** Sorts the most important first: higher priority, then longer running. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [first, second] = [startOf(a), startOf(b)];
  return first === second ? 0 : first < second ? -1 : 1;
}
