import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';

/** Reports whether a pod is neither finished nor terminating. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Reports whether a pod is being deleted and not finished yet. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

export function isReady({ status }: Pod): boolean {
  return conditionOf(status?.conditions, 'Ready')?.status === 'True';
}

/** Returns since when a pod has been ready, undefined if it is not. */
export function readySince({ status }: Pod): number | undefined {
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready?.status !== 'True') return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || 0;
}

/** Returns the time until a pod is available, 0 if it is, or undefined if it is not ready. */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}

/** Reports whether the deletion of a pod was requested, even if it has finished. */
export function isDeletionRequested({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Returns when the next pod becomes available, undefined if no ready one waits for that. */
export function nextAvailableMs(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  now: number,
): number | undefined {
  const waits = pods.map((pod) => availableIn(pod, minReadySeconds ?? 0, now));
  const ahead = waits.filter((wait): wait is number => wait !== undefined && wait > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
