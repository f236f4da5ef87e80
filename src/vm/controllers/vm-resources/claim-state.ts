import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { readDiskSource, SIMULATED_PROVISIONER } from '#api/disk/request';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import type { ClaimState } from '#vm/engine/vm-dependencies';
import { isPopulated } from '#vm/storage/disk/claim-disks';
import { claimOwnership, isSmallerSize } from './claim.ts';
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
    return { name: claim, state: 'taken', ...claimTakenState(group, found, disk) };
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
  const named = `PersistentVolumeClaim ${origin.claim}, referenced by ${originField}`;
  if (source === undefined) return { reason: 'NotFound', message: `${named}, not found, waiting` };
  const has = source.status?.capacity?.['storage'] ?? source.spec.resources?.requests?.['storage'] ?? '';
  if (anySize === true || !isSmallerSize(disk.size, has)) return {};
  const message = `disk ${disk.name} requests ${disk.size}, but its source, ${named}, has ${has}: request at least ${has}, or use a smaller source`;
  return { reason: 'DiskTooSmall', message };
}

/** Describes a claim that is not populated yet. A VM that ran before could not tell its disk from an empty one. */
function formatUnfilled({ metadata }: PersistentVolumeClaim): string {
  const { claim, snapshot, namespace = metadata.namespace } = readDiskSource(metadata.annotations) ?? {};
  const from =
    snapshot === undefined ? `PersistentVolumeClaim ${namespace}/${claim}` : `VMSnapshot ${namespace}/${snapshot}`;
  return `PersistentVolumeClaim ${metadata.name} is not populated from ${from} yet: see kubectl describe pvc ${metadata.name}`;
}

/** Describes a claim that is smaller than the spec requests. */
function smaller(
  { metadata, spec, status }: PersistentVolumeClaim,
  { disk, anySize }: ClaimedDisk,
  storageClass: StorageClass | undefined,
): Pick<ClaimState, 'reason' | 'message' | 'size'> | undefined {
  const asks = `${spec.resources?.requests?.['storage'] ?? ''}`;
  if (anySize !== true && isSmallerSize(asks, disk.size)) {
    const cannot = storageClass?.allowVolumeExpansion !== true;
    const why = cannot
      ? `StorageClass ${spec.storageClassName} does not allow volume expansion (allowVolumeExpansion): set the size back to ${asks}, or change the class`
      : `the claim will be expanded; see kubectl describe vm if it is not`;
    const message = `disk ${disk.name} has ${asks}, but spec requests ${disk.size}: ${why}`;
    return { reason: cannot ? 'DiskCannotGrow' : 'DiskGrows', message, size: asks };
  }
  const has = status?.capacity?.['storage'] ?? asks;
  if (!isSmallerSize(has, asks)) return undefined;
  const message = `disk ${disk.name} has ${has} instead of ${asks}: PersistentVolumeClaim ${metadata.name} is being expanded`;
  return { reason: 'DiskGrows', message };
}

/** Describes other differences between a claim and the spec, which only defines new claims. */
function otherwise({ spec }: PersistentVolumeClaim, { disk, anySize }: ClaimedDisk): Pick<ClaimState, 'message'> {
  const asks = spec.resources?.requests?.['storage'] ?? '';
  const differences = [
    ...(anySize !== true && isSmallerSize(disk.size, asks) ? [`${asks} instead of ${disk.size}`] : []),
    ...(disk.storageClass === undefined || spec.storageClassName === disk.storageClass
      ? []
      : [`StorageClass ${spec.storageClassName} instead of ${disk.storageClass}`]),
  ];
  return differences.length === 0 ? {} : { message: differences.join('; ') };
}

function formatPending({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass | undefined): string {
  const name = `PersistentVolumeClaim ${metadata.name} has no volume yet`;
  if (storageClass === undefined) return `${name}: StorageClass ${spec.storageClassName} not found`;
  const modes = (spec.accessModes ?? []).join(', ');
  return `${name} (StorageClass ${spec.storageClassName}, ${modes}): see kubectl describe pvc ${metadata.name}`;
}

function claimTakenState({ wayOut }: GroupTexts, { metadata }: PersistentVolumeClaim, { disk, claim }: ClaimedDisk) {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const whose = owner === undefined ? 'was not created for this VM' : `belongs to ${owner.kind} ${owner.name}`;
  return {
    reason: 'ClaimTaken',
    message: `PersistentVolumeClaim ${claim}, required for disk ${disk.name}, ${whose}: ${wayOut(claim)}`,
  };
}
