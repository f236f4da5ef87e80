import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { type VolumeState, volumeState } from '#vm/storage/disk/claim-volume';
import { isSimulatedClass } from '#vm/storage/disk/copied-disk';
import { fail, type StepResult } from './operation-handler.ts';
import type { ActiveOperationView, Lookups } from './operation-view.ts';

/**
 * Returns why a disk cannot be cloned, or not yet. Storage that is not simulated copies by itself, and only within a
 * namespace.
 */
export function cloneDenial(
  { operation, lookups }: ActiveOperationView,
  volume: string,
  { metadata, spec, status }: PersistentVolumeClaim,
  elsewhere: boolean,
): StepResult | undefined {
  if (isSimulatedClass(spec.storageClassName, lookups.origins)) return undefined;
  const { linkedClone, snapshotRef } = operation.spec.cloneSpec ?? {};
  const why = `storage class ${spec.storageClassName ?? ''} is not simulated; nothing has been changed`;
  if (elsewhere) return fail('NotSupported', `disk ${volume} cannot be copied to another namespace: ${why}`);
  if (linkedClone === true)
    return fail('NotSupported', `cloneSpec.linkedClone: disk ${volume} cannot be linked: ${why}`);
  if (snapshotRef !== undefined || status?.phase === 'Bound') return undefined;
  const message = `PersistentVolumeClaim ${metadata.name} of disk ${volume} has no volume to copy`;
  return { to: 'wait', reason: 'DiskNotReady', message };
}

/** Lists the claims on real storage whose volumes are in this state, as text. Returns '' if there are none. */
export function claimsThatAre(
  state: VolumeState,
  namespace: string,
  claims: readonly string[],
  lookups: Lookups,
): string {
  const { origins } = lookups;
  const names = claims.filter((name) => {
    const found = lookups.claim(namespace, name);
    if (found === undefined || isSimulatedClass(found.spec.storageClassName, origins)) return false;
    return volumeState(found, (each) => origins.storageClass(each)) === state;
  });
  return names.length === 0 ? '' : `PersistentVolumeClaim ${names.join(', ')}`;
}

/** Returns the volumes of a VM that are claims. */
export function claimsIn({ volumes = [] }: InstanceSpec): { readonly volume: string; readonly claim: string }[] {
  return volumes.flatMap(({ name, persistentVolumeClaim, dataVolume }) => {
    const claim = persistentVolumeClaim?.claimName ?? dataVolume?.name;
    return claim === undefined ? [] : [{ volume: name, claim }];
  });
}
