import { compare, formatQuantity, parseQuantity, quantityOf } from '#platform/base/quantity';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';

/** State of the volume of a claim: it is bound, is provisioned when a pod first uses it, or should exist already. */
export type VolumeState = 'bound' | 'later' | 'awaited';

export function volumeState(
  { spec, status }: PersistentVolumeClaim,
  storageClass: (name: string) => StorageClass | undefined,
): VolumeState {
  if (status?.phase === 'Bound') return 'bound';
  const mode = storageClass(spec.storageClassName ?? '')?.volumeBindingMode;
  return mode === 'WaitForFirstConsumer' ? 'later' : 'awaited';
}

/** Returns the larger of a requested size and a number of bytes. */
export function atLeast(requested: string | number | undefined, bytes: number): string | number {
  const min = quantityOf(bytes, 'BinarySI');
  return requested === undefined || compare(parseQuantity(requested), min) < 0 ? formatQuantity(min) : requested;
}
