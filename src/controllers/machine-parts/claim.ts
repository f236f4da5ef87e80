import type { ClaimedDisk } from '../../api/disk/claimed-disk.ts';
import { contentsText, DISK_CONTENTS_ANNOTATION } from '../../api/disk/contents.ts';
import { DISK_SOURCE_ANNOTATION } from '../../api/disk/request.ts';
import { VM_LABEL } from '../../api/launcher.ts';
import { compare, tryParseQuantity } from '../../base/quantity.ts';
import type { NewObject } from '../../kube/client.ts';
import { atLeast } from '../../kube/disk/claim-volume.ts';
import type { CopiedDisk } from '../../kube/disk/copied-disk.ts';
import { apiVersionOf } from '../../kube/kinds/resource-type.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../kube/kinds/storage.ts';
import type { KubeOwnerReference } from '../../kube/kube-object.ts';
import type { ClaimSight } from '../../machine/surroundings.ts';
import type { Machine, PartsGroup } from './group.ts';

/** All that claims have to do with the group of their machine. */
type Group = Pick<PartsGroup, 'machines' | 'words' | 'wayOut'>;

/** What makes something a part of a machine, which goes with it. */
export function partOf({ machines }: Group, { metadata }: Machine): KubeOwnerReference {
  const { name, uid } = metadata;
  return {
    apiVersion: apiVersionOf(machines),
    kind: machines.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** By these, everything of a machine is found. */
export function labelsOf({ words }: Group, { metadata }: Machine): Record<string, string> {
  return { [VM_LABEL]: metadata.name, [words.machine]: metadata.name };
}

const isRetained = ({ words }: Group, { metadata }: Machine) => metadata.annotations?.[words.retain] === 'true';

/** The claim for a new disk. `source`: the claim that it is to be a copy of. */
export function newClaim(
  group: Group,
  machine: Machine,
  { disk, claim, origin, accessMode, anySize }: ClaimedDisk,
  copied?: CopiedDisk,
  source?: PersistentVolumeClaim,
): NewObject<PersistentVolumeClaim> {
  const annotations = {
    ...copied?.annotations,
    ...(origin?.image === undefined
      ? {}
      : { [DISK_CONTENTS_ANNOTATION]: contentsText({ image: imageOf(origin), files: {} }) }),
    ...(origin?.claim === undefined ? {} : { [DISK_SOURCE_ANNOTATION]: JSON.stringify({ claim: origin.claim }) }),
  };
  const size = anySize === true ? (sizeOf(source) ?? disk.size) : disk.size;
  return {
    metadata: {
      name: claim,
      namespace: machine.metadata.namespace,
      labels: labelsOf(group, machine),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(isRetained(group, machine) ? {} : { ownerReferences: [partOf(group, machine)] }),
    },
    spec: {
      accessModes: [accessMode ?? machine.metadata.annotations?.[group.words.accessMode] ?? 'ReadWriteMany'],
      ...(disk.storageClass === undefined ? {} : { storageClassName: disk.storageClass }),
      resources: { requests: { storage: atLeast(size, copied?.sourceBytes ?? 0) } },
      ...(origin?.claim === undefined ? {} : { dataSource: { kind: 'PersistentVolumeClaim', name: origin.claim } }),
      ...(copied?.dataSource === undefined ? {} : { dataSource: copied.dataSource }),
    },
  };
}

/** What a claim asks for. */
const sizeOf = (claim: PersistentVolumeClaim | undefined) => claim?.spec.resources?.requests?.['storage'];

function imageOf({ image, checksum }: { readonly image: string; readonly checksum?: string }) {
  return { source: image, ...(checksum === undefined ? {} : { checksum }) };
}

/**
 * Whose a claim by the name of a disk is. `free`: it was made or kept for a machine of this name, and is nobody's now.
 * `named`: it is another's matter, but the disk says itself that it is that claim.
 */
export function belonging(
  { words }: Group,
  { metadata }: PersistentVolumeClaim,
  machine: Machine,
  { claim, origin }: ClaimedDisk,
): 'own' | 'free' | 'named' | 'other' {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === machine.metadata.uid) return 'own';
  if (owner === undefined && metadata.labels?.[words.machine] === machine.metadata.name) return 'free';
  return origin?.claim === claim ? 'named' : 'other';
}

/** How the claim of a disk is to be changed; undefined where it is as it should be, or not ours to change. */
export function changedClaim(
  group: Group,
  found: PersistentVolumeClaim,
  machine: Machine,
  disk: ClaimedDisk,
): PersistentVolumeClaim | undefined {
  const whose = belonging(group, found, machine, disk);
  if (found.metadata.deletionTimestamp !== undefined || whose === 'other' || whose === 'named') return undefined;
  const kept = isRetained(group, machine);
  const isOwner = whose === 'own';
  const grown = isGrown(found, disk);
  if (isOwner !== kept && !grown) return undefined;
  const others = (found.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== machine.metadata.uid);
  const ownerReferences = kept ? others : [...others, partOf(group, machine)];
  const { spec } = found;
  const requests = { ...spec.resources?.requests, ...(grown ? { storage: disk.disk.size } : {}) };
  return {
    ...found,
    metadata: { ...found.metadata, ownerReferences },
    spec: { ...spec, resources: { ...spec.resources, requests } },
  };
}

/** Whether more is wanted than the claim asks for; only one that has a volume can be asked for more. */
function isGrown(claim: PersistentVolumeClaim, { disk, anySize }: ClaimedDisk): boolean {
  return anySize !== true && claim.status?.phase === 'Bound' && isLess(sizeOf(claim) ?? '', disk.size);
}

/** How the claim of a disk looks to its machine. `source`: the claim that it is to be a copy of. */
export function claimSight(
  group: Group,
  found: PersistentVolumeClaim | undefined,
  machine: Machine,
  disk: ClaimedDisk,
  source: PersistentVolumeClaim | undefined,
  storageClass: StorageClass | undefined,
): ClaimSight {
  const { claim, origin, originField } = disk;
  if (found === undefined) {
    if (origin?.claim === undefined || source !== undefined) return { name: claim, state: 'missing' };
    const message = `PersistentVolumeClaim ${origin.claim}, which ${originField} names, is not there: the machine is started when it is`;
    return { name: claim, state: 'missing', reason: 'NotFound', message };
  }
  if (belonging(group, found, machine, disk) === 'other')
    return { name: claim, state: 'taken', ...taken(group, found, disk) };
  if (found.metadata.deletionTimestamp !== undefined) {
    const message = `PersistentVolumeClaim ${claim} is being deleted`;
    return { name: claim, state: 'missing', reason: 'ClaimGoing', message };
  }
  switch (found.status?.phase) {
    case 'Bound':
      return { name: claim, state: 'bound', ...(smaller(found, disk, storageClass) ?? otherwise(found, disk)) };
    case 'Lost': {
      const message = `PersistentVolumeClaim ${claim} has lost its volume`;
      return { name: claim, state: 'pending', reason: 'ClaimLost', message };
    }
    default: {
      const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
      const message = pendingText(found, storageClass);
      return { name: claim, state: 'pending', reason: 'ClaimPending', message, ...(waits ? { waits } : {}) };
    }
  }
}

/** What is to be said of a claim that has less than spec asks for. */
function smaller(
  { metadata, spec, status }: PersistentVolumeClaim,
  { disk, anySize }: ClaimedDisk,
  storageClass: StorageClass | undefined,
): Pick<ClaimSight, 'reason' | 'message' | 'size'> | undefined {
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

/** In what else a claim differs from spec, which only names what new claims are made from. */
function otherwise({ spec }: PersistentVolumeClaim, { disk, anySize }: ClaimedDisk): Pick<ClaimSight, 'message'> {
  const asks = spec.resources?.requests?.['storage'] ?? '';
  const differences = [
    ...(anySize !== true && isLess(disk.size, asks) ? [`${asks}, though spec says ${disk.size}`] : []),
    ...(disk.storageClass === undefined || spec.storageClassName === disk.storageClass
      ? []
      : [`of StorageClass ${spec.storageClassName}, though spec says ${disk.storageClass}`]),
  ];
  return differences.length === 0 ? {} : { message: differences.join('; ') };
}

function isLess(size: string | number, than: string | number): boolean {
  const [a, b] = [tryParseQuantity(size), tryParseQuantity(than)];
  return a !== undefined && b !== undefined && compare(a, b) < 0;
}

function pendingText({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass | undefined): string {
  const name = `PersistentVolumeClaim ${metadata.name} has no volume yet`;
  if (storageClass === undefined) return `${name}: there is no StorageClass ${spec.storageClassName}`;
  const modes = (spec.accessModes ?? []).join(', ');
  return `${name} (StorageClass ${spec.storageClassName}, ${modes}): kubectl describe pvc ${metadata.name} says why`;
}

function taken({ wayOut }: Group, { metadata }: PersistentVolumeClaim, { disk, claim }: ClaimedDisk) {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const whose = owner === undefined ? 'was not made for this machine' : `belongs to ${owner.kind} ${owner.name}`;
  return {
    reason: 'ClaimTaken',
    message: `PersistentVolumeClaim ${claim}, which disk ${disk.name} would be on, ${whose}: ${wayOut(claim)}`,
  };
}
