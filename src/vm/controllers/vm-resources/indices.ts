import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import type { Cache, Change } from '#platform/runtime/cache';
import { type WatchSource, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { isPopulated } from '#vm/storage/disk/claim-disks';
import type { OwnerVm, VmResourceGroup } from './group.ts';

/** Returns the VMs that a claim may be a disk of, by the prefix of its name, and those that copy it. */
function* vmsOfClaim<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  { metadata }: PersistentVolumeClaim,
  vms: Cache<M>,
): Generator<string> {
  const { name = '', namespace } = metadata;
  const more = group.claimStart('').length;
  for (let dash = name.indexOf('-'); dash > 0; dash = name.indexOf('-', dash + 1)) {
    const vm = name.slice(0, Math.max(0, dash - more));
    if (group.claimStart(vm) !== name.slice(0, dash)) continue;
    const key = keyIn(namespace, vm);
    if (vms.get(key) !== undefined) yield key;
  }
  for (const vm of vms.by(group.bySource, keyOf({ metadata }))) yield keyOf(vm);
}

const sizesOf = ({ spec, status }: PersistentVolumeClaim) =>
  `${spec.resources?.requests?.['storage']} ${status?.capacity?.['storage']}`;

/** Reports whether a claim changed beyond its contents, which change all the time and do not concern the VM. */
function isOther({ object, old }: Change<PersistentVolumeClaim>): boolean {
  if (old === undefined) return true;
  const [a, b] = [object.metadata, old.metadata];
  return (
    object.status?.phase !== old.status?.phase ||
    sizesOf(object) !== sizesOf(old) ||
    isPopulated(object) !== isPopulated(old) ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    JSON.stringify([a.labels, a.ownerReferences]) !== JSON.stringify([b.labels, b.ownerReferences])
  );
}

export function claimWatch<M extends OwnerVm>(group: VmResourceGroup<M>): WatchSource {
  return watchSource(PERSISTENT_VOLUME_CLAIMS, (claim, { cache }, change) =>
    isOther(change) ? vmsOfClaim(group, claim, cache(group.vms)) : [],
  );
}

/** Wakes VMs with too small disks when a class changes, since it may allow expansion now. */
export function classWatch<M extends OwnerVm>({ vms, bySmallDisks }: VmResourceGroup<M>): WatchSource {
  return watchSource(STORAGE_CLASSES, (_class, { cache }) =>
    [...cache(vms).by(bySmallDisks, 'small')].map((vm) => keyOf(vm)),
  );
}
