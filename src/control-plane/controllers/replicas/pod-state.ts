import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';

/** Neither finished nor on its way out. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Still there, though it was told to go. */
export function isTerminating({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

export function isReady({ status }: Pod): boolean {
  return conditionOf(status?.conditions, 'Ready')?.status === 'True';
}

/** Since when a pod has been ready; undefined where it is not. */
export function readySince({ status }: Pod): number | undefined {
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready?.status !== 'True') return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || 0;
}

/** How long until a pod has been ready for long enough; 0 where it has, undefined where it is not ready. */
export function availableIn(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - now);
}
