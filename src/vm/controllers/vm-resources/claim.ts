import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { DISK_CONTENTS_ANNOTATION, formatContents } from '#api/disk/contents';
import { DISK_SOURCE_ANNOTATION } from '#api/disk/request';
import { VM_LABEL } from '#api/launcher';
import { compare, tryParseQuantity } from '#platform/base/quantity';
import type { NewObject } from '#platform/kube/client';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import { atLeast } from '#vm/storage/disk/claim-volume';
import type { CopiedDisk } from '#vm/storage/disk/copied-disk';
import type { GroupTexts, OwnerVm } from './group.ts';

/** Returns the owner reference by which an object is deleted with its VM. */
export function vmOwnerReference({ vms }: GroupTexts, { metadata }: OwnerVm): KubeOwnerReference {
  const { name, uid } = metadata;
  return {
    apiVersion: apiVersionOf(vms),
    kind: vms.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Returns the labels by which all objects of a VM are found. */
export function labelsOf({ words }: GroupTexts, { metadata }: OwnerVm): Record<string, string> {
  return { [VM_LABEL]: metadata.name, [words.machine]: metadata.name };
}

const isRetained = ({ words }: GroupTexts, { metadata }: OwnerVm) => metadata.annotations?.[words.retain] === 'true';

/** Builds the claim for a new disk. `source` is the claim that it is to be a copy of. */
export function newClaim(
  group: GroupTexts,
  vm: OwnerVm,
  { disk, claim, origin, accessMode, anySize }: ClaimedDisk,
  copied?: CopiedDisk,
  source?: PersistentVolumeClaim,
): NewObject<PersistentVolumeClaim> {
  const annotations = {
    ...copied?.annotations,
    ...(origin?.image === undefined
      ? {}
      : { [DISK_CONTENTS_ANNOTATION]: formatContents({ image: imageOf(origin), files: {} }) }),
    ...(origin?.claim === undefined ? {} : { [DISK_SOURCE_ANNOTATION]: JSON.stringify({ claim: origin.claim }) }),
  };
  const size = anySize === true ? (sizeOf(source) ?? disk.size) : disk.size;
  return {
    metadata: {
      name: claim,
      namespace: vm.metadata.namespace,
      labels: labelsOf(group, vm),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(isRetained(group, vm) ? {} : { ownerReferences: [vmOwnerReference(group, vm)] }),
    },
    spec: {
      accessModes: [accessMode ?? vm.metadata.annotations?.[group.words.accessMode] ?? 'ReadWriteMany'],
      ...(disk.storageClass === undefined ? {} : { storageClassName: disk.storageClass }),
      resources: { requests: { storage: atLeast(size, copied?.sourceBytes ?? 0) } },
      ...(origin?.claim === undefined ? {} : { dataSource: { kind: 'PersistentVolumeClaim', name: origin.claim } }),
      ...(copied?.dataSource === undefined ? {} : { dataSource: copied.dataSource }),
    },
  };
}

/** Returns the requested size of a claim. */
const sizeOf = (claim: PersistentVolumeClaim | undefined) => claim?.spec.resources?.requests?.['storage'];

function imageOf({ image, checksum }: { readonly image: string; readonly checksum?: string }) {
  return { source: image, ...(checksum === undefined ? {} : { checksum }) };
}

/**
 * Classifies the owner of a claim with the name of a disk. `free`: it was created or retained for a VM of this name,
 * and has no owner now. `named`: it belongs to another owner, but the disk references that claim.
 */
export function claimOwnership(
  { words }: GroupTexts,
  { metadata }: PersistentVolumeClaim,
  vm: OwnerVm,
  { claim, origin }: ClaimedDisk,
): 'own' | 'free' | 'named' | 'other' {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === vm.metadata.uid) return 'own';
  if (owner === undefined && metadata.labels?.[words.machine] === vm.metadata.name) return 'free';
  return origin?.claim === claim ? 'named' : 'other';
}

/** Returns the desired claim of a disk, or undefined if it needs no change or is not ours to change. */
export function changedClaim(
  group: GroupTexts,
  found: PersistentVolumeClaim,
  vm: OwnerVm,
  disk: ClaimedDisk,
): PersistentVolumeClaim | undefined {
  const whose = claimOwnership(group, found, vm, disk);
  if (found.metadata.deletionTimestamp !== undefined || whose === 'other' || whose === 'named') return undefined;
  const kept = isRetained(group, vm);
  const isOwner = whose === 'own';
  const grown = isGrown(found, disk);
  if (isOwner !== kept && !grown) return undefined;
  const others = (found.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== vm.metadata.uid);
  const ownerReferences = kept ? others : [...others, vmOwnerReference(group, vm)];
  const { spec } = found;
  const requests = { ...spec.resources?.requests, ...(grown ? { storage: disk.disk.size } : {}) };
  return {
    ...found,
    metadata: { ...found.metadata, ownerReferences },
    spec: { ...spec, resources: { ...spec.resources, requests } },
  };
}

/** Reports whether the disk is larger than the claim requests. Only a bound claim can be expanded. */
function isGrown(claim: PersistentVolumeClaim, { disk, anySize }: ClaimedDisk): boolean {
  return anySize !== true && claim.status?.phase === 'Bound' && isSmallerSize(sizeOf(claim) ?? '', disk.size);
}

/** Reports whether a quantity is smaller than another. */
export function isSmallerSize(size: string | number, than: string | number): boolean {
  const [a, b] = [tryParseQuantity(size), tryParseQuantity(than)];
  return a !== undefined && b !== undefined && compare(a, b) < 0;
}
