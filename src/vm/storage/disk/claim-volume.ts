import { compare, formatQuantity, parseQuantity, quantityOf } from '#platform/base/quantity';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';

/** How a claim stands with its volume: it has one, gets one when a pod first uses it, or is to have one already. */
export type VolumeState = 'bound' | 'later' | 'awaited';

export function volumeState(
  { spec, status }: PersistentVolumeClaim,
  storageClass: (name: string) => StorageClass | undefined,
): VolumeState {
  if (status?.phase === 'Bound') return 'bound';
  const mode = storageClass(spec.storageClassName ?? '')?.volumeBindingMode;
  return mode === 'WaitForFirstConsumer' ? 'later' : 'awaited';
}

/** A size that is asked for, or so many bytes where those are more. */
export function atLeast(asked: string | number | undefined, bytes: number): string | number {
  const least = quantityOf(bytes, 'BinarySI');
  return asked === undefined || compare(parseQuantity(asked), least) < 0 ? formatQuantity(least) : asked;
}
