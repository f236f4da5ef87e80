import { SIMULATED_PROVISIONER } from '#api/disk/request';
import { compare, tryParseQuantity } from '#platform/base/quantity';
import type { PersistentVolume, PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { PROVISIONED_BY } from './plan.ts';

/** Returns the size that a claim requests, if its volume is simulated and either of the two is smaller. */
export function requestedVolumeSize(
  { spec, status, metadata }: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): { readonly size: string | number; readonly ofVolume: boolean; readonly ofClaim: boolean } | undefined {
  const size = spec.resources?.requests?.['storage'] ?? '';
  if (volume?.metadata.annotations?.[PROVISIONED_BY] !== SIMULATED_PROVISIONER || status?.phase !== 'Bound')
    return undefined;
  if (volume.spec.claimRef?.uid !== metadata.uid) return undefined;
  const ofVolume = isLess(volume.spec.capacity?.['storage'], size);
  const ofClaim = isLess(status.capacity?.['storage'], size);
  return ofVolume || ofClaim ? { size, ofVolume, ofClaim } : undefined;
}

function isLess(has: string | number | undefined, desired: string | number): boolean {
  const [a, b] = [tryParseQuantity(has ?? ''), tryParseQuantity(desired)];
  return a !== undefined && b !== undefined && compare(a, b) < 0;
}
