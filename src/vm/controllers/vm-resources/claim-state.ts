import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { readDiskSource, SIMULATED_PROVISIONER } from '#api/disk/request';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import type { ClaimState } from '#vm/engine/vm-dependencies';
import { isPopulated } from '#vm/storage/disk/claim-disks';
import { claimOwnership, isLess } from './claim.ts';
import type { GroupTexts, OwnerVm } from './group.ts';

/** Returns the state of a disk's claim for its VM. `source` is the claim that it is to be a copy of. */
export function claimState(
  group: GroupTexts,
  found: PersistentVolumeClaim | undefined,
  vm: OwnerVm,
  disk: ClaimedDisk,
  source: PersistentVolumeClaim | undefined,
  storageClass: StorageClass | undefined,
): ClaimState {
  const { claim } = disk;
  if (found === undefined) return { name: claim, state: 'missing', ...uncopyable(disk, source) };
  if (claimOwnership(group, found, vm, disk) === 'other')
    return { name: claim, state: 'taken', ...takenClaim(group, found, disk) };
  if (found.metadata.deletionTimestamp !== undefined) {
    const message = `PersistentVolumeClaim ${claim} is being deleted`;
    return { name: claim, state: 'missing', reason: 'ClaimGoing', message };
  }
  if (storageClass?.provisioner === SIMULATED_PROVISIONER && !isPopulated(found))
    return { name: claim, state: 'pending', reason: 'DiskUnfilled', message: formatUnfilled(found) };
  switch (found.status?.phase) {
    case 'Bound':
      return { name: claim, state: 'bound', ...(smaller(found, disk, storageClass) ?? otherwise(found, disk)) };
    case 'Lost': {
      const message = `PersistentVolumeClaim ${claim} has lost its volume`;
      return { name: claim, state: 'pending', reason: 'ClaimLost', message };
    }
    default: {
      const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
      const message = formatPending(found, storageClass);
      return { name: claim, state: 'pending', reason: 'ClaimPending', message, ...(waits ? { waits } : {}) };
    }
  }
}

/** Returns why a disk cannot be created from its source. */
function uncopyable(
  { disk, origin, originField, anySize }: ClaimedDisk,
  source: PersistentVolumeClaim | undefined,
): Pick<ClaimState, 'reason' | 'message'> {
  if (origin?.claim === undefined) return {};
  const named = `PersistentVolumeClaim ${origin.claim}, which ${originField} names`;
  if (source === undefined)
    return { reason: 'NotFound', message: `${named}, is not there: the machine is started when it is` };
  const has = source.status?.capacity?.['storage'] ?? source.spec.resources?.requests?.['storage'] ?? '';
  if (anySize === true || !isLess(disk.size, has)) return {};
  const message = `disk ${disk.name} is to have ${disk.size} and be a copy of ${named} and has ${has}: ask for ${has} or more, or name a smaller claim`;
  return { reason: 'DiskTooSmall', message };
}

/** Describes a claim that is not populated yet. A VM that ran before could not tell its disk from an empty one. */
function formatUnfilled({ metadata }: PersistentVolumeClaim): string {
  const { claim, snapshot, namespace = metadata.namespace } = readDiskSource(metadata.annotations) ?? {};
  const from =
    snapshot === undefined ? `PersistentVolumeClaim ${namespace}/${claim}` : `VMSnapshot ${namespace}/${snapshot}`;
  return `PersistentVolumeClaim ${metadata.name} is still to be filled from ${from}: kubectl describe pvc ${metadata.name} says why it is not`;
}

/** Describes a claim that is smaller than the spec requests. */
function smaller(
  { metadata, spec, status }: PersistentVolumeClaim,
  { disk, anySize }: ClaimedDisk,
  storageClass: StorageClass | undefined,
): Pick<ClaimState, 'reason' | 'message' | 'size'> | undefined {
  const asks = `${spec.resources?.requests?.['storage'] ?? ''}`;
  if (anySize !== true && isLess(asks, disk.size)) {
    const cannot = storageClass?.allowVolumeExpansion !== true;
    const why = cannot
      ? `StorageClass ${spec.storageClassName} does not let its volumes grow (allowVolumeExpansion): set it back to ${asks}, or have the class changed`
      : `the claim is about to be asked for more, or kubectl describe vm says why it is not`;
    const message = `disk ${disk.name} has ${asks} and is to have ${disk.size}: ${why}`;
    return { reason: cannot ? 'DiskCannotGrow' : 'DiskGrows', message, size: asks };
  }
  const has = status?.capacity?.['storage'] ?? asks;
  if (!isLess(has, asks)) return undefined;
  const message = `disk ${disk.name} has ${has} and is to have ${asks}: PersistentVolumeClaim ${metadata.name} is being expanded`;
  return { reason: 'DiskGrows', message };
}

/** Describes other differences between a claim and the spec, which only defines new claims. */
function otherwise({ spec }: PersistentVolumeClaim, { disk, anySize }: ClaimedDisk): Pick<ClaimState, 'message'> {
  const asks = spec.resources?.requests?.['storage'] ?? '';
  const differences = [
    ...(anySize !== true && isLess(disk.size, asks) ? [`${asks}, though spec says ${disk.size}`] : []),
    ...(disk.storageClass === undefined || spec.storageClassName === disk.storageClass
      ? []
      : [`of StorageClass ${spec.storageClassName}, though spec says ${disk.storageClass}`]),
  ];
  return differences.length === 0 ? {} : { message: differences.join('; ') };
}

function formatPending({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass | undefined): string {
  const name = `PersistentVolumeClaim ${metadata.name} has no volume yet`;
  if (storageClass === undefined) return `${name}: there is no StorageClass ${spec.storageClassName}`;
  const modes = (spec.accessModes ?? []).join(', ');
  return `${name} (StorageClass ${spec.storageClassName}, ${modes}): kubectl describe pvc ${metadata.name} says why`;
}

function takenClaim({ wayOut }: GroupTexts, { metadata }: PersistentVolumeClaim, { disk, claim }: ClaimedDisk) {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const whose = owner === undefined ? 'was not made for this machine' : `belongs to ${owner.kind} ${owner.name}`;
  return {
    reason: 'ClaimTaken',
    message: `PersistentVolumeClaim ${claim}, which disk ${disk.name} would be on, ${whose}: ${wayOut(claim)}`,
  };
}
