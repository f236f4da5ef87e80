import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { OPERATION, OPERATION_UID } from '#api/operation-request';
import { TemporaryError } from '#platform/base/errors';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES, type StorageClass } from '#platform/kube/kinds/storage';
import type { Cache } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import { activeClone, type Copies, cloneNamespace, copiesIn, namedVmOf } from '#vm/storage/disk/active-clone';
import { type CopiedDisk, copiedDisk } from '#vm/storage/disk/copied-disk';
import { type CopyAuthority, mayCopy } from '#vm/storage/disk/foreign-source';
import { firstCrossNamespaceDenial } from '#vm/storage/namespace-grant';
import type { GroupTexts, OwnerVm, VmResourceGroup } from './group.ts';

const NONE: Copies = {};

/**
 * Returns the sources of a VM's claims, as recorded by the clone in progress that creates it. 'awaited' means that they
 * are about to be known; `operations` says whether operations are served.
 */
export function copiesFor(
  { vms }: Pick<GroupTexts, 'vms'>,
  { metadata }: OwnerVm,
  { cache }: Pick<Context, 'cache'>,
  operations: boolean,
): Copies | 'awaited' {
  if (!operations || metadata.annotations?.[OPERATION] === undefined) return NONE;
  const clone = activeClone(metadata.annotations, (key) => cache(OPERATIONS).get(key));
  if (clone === undefined) return NONE;
  const isTarget = clone.spec.cloneSpec?.targetName === metadata.name && cloneNamespace(clone) === metadata.namespace;
  if (!isTarget || namedVmOf(clone).group !== vms.group) return NONE;
  return copiesIn(clone) ?? 'awaited';
}

/** Removes the origin of a cloned disk, which holds the data of its source instead. */
export function withoutOrigin(disk: ClaimedDisk, copies: Copies | 'awaited'): ClaimedDisk {
  if (copies !== 'awaited' && !Object.hasOwn(copies, disk.claim)) return disk;
  const { origin: _origin, ...rest } = disk;
  return rest;
}

/** Settings for looking up the copies that operations request. */
export interface CopySettings {
  /** Set if operations and snapshots are served. */
  readonly operations: boolean;
  /** Only namespace to manage. If absent, all are managed. */
  readonly onlyNamespace?: string | undefined;
}

/**
 * Returns what makes the claim of a disk a copy, or undefined if it is none. Throws while the source is unknown, or if
 * the copy is not allowed.
 */
export async function copyFor<M extends OwnerVm>(
  group: Pick<VmResourceGroup<M>, 'vms' | 'disksOf'>,
  vm: OwnerVm,
  { disk, claim, origin }: ClaimedDisk,
  copies: Copies | 'awaited',
  context: Context,
  settings: CopySettings,
): Promise<CopiedDisk | undefined> {
  const { cache } = context;
  const { operations } = settings;
  const { namespace, annotations = {} } = vm.metadata;
  if (copies === 'awaited')
    throw new TemporaryError(
      `waiting for the cache to show the source that VMOperation ${annotations[OPERATION]} copies to ${claim}`,
    );
  const cloned = Object.hasOwn(copies, claim) ? copies[claim] : undefined;
  const source = cloned ?? (origin?.claim === undefined ? undefined : { claim: origin.claim });
  if (source === undefined) return undefined;
  const requested = { namespace, name: claim, annotations };
  if (!(await mayCopy(source, requested, copyAuthority(group, context, settings))))
    throw new TemporaryError(
      `VMOperation ${annotations[OPERATION]} is not allowed to copy a disk of namespace ${source.namespace}`,
    );
  const storageClass = disk.storageClass ?? defaultClass(cache(STORAGE_CLASSES));
  const place = { namespace, storageClass };
  const copied = copiedDisk(source, place, {
    claim: (namespace, name) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)),
    snapshot: (namespace, name) => (operations ? cache(VM_SNAPSHOTS).get(keyIn(namespace, name)) : undefined),
    storageClass: (name) => cache(STORAGE_CLASSES).get(name),
  });
  if (copied === undefined)
    throw new TemporaryError(
      `waiting for the cache to show VMSnapshot ${source.snapshot}, the source of disk ${disk.name}`,
    );
  if (source.namespace === undefined) return copied;
  // The populator of the claim checks the operation again.
  return { ...copied, annotations: { ...operationAnnotations(annotations), ...copied.annotations } };
}

function copyAuthority<M extends OwnerVm>(
  { vms, disksOf }: Pick<VmResourceGroup<M>, 'vms' | 'disksOf'>,
  context: Context,
  { onlyNamespace: only }: CopySettings,
): CopyAuthority {
  const { cache, client } = context;
  const grants = { namespace: (name: string) => cache(NAMESPACES).get(name), only };
  return {
    operation: (key) => cache(OPERATIONS).get(key),
    objection: (from, among) => firstCrossNamespaceDenial(from, among, grants, client),
    claimsOf(operation) {
      const { namespace, name } = namedVmOf(operation);
      const source = cache(vms).get(keyIn(namespace, name));
      return source === undefined ? undefined : disksOf(source, context)?.map((disk) => disk.claim);
    },
    snapshot: (namespace, name) => cache(VM_SNAPSHOTS).get(keyIn(namespace, name)),
  };
}

/** Returns the default storage class of the cluster. */
function defaultClass(classes: Cache<StorageClass>): string | undefined {
  for (const { metadata } of classes.all()) {
    if (metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true') return metadata.name;
  }
  return undefined;
}

/** Returns the annotations that identify the operation that created the VM, and so its claims. */
function operationAnnotations(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    [OPERATION, OPERATION_UID].flatMap((name) =>
      Object.hasOwn(annotations, name) ? [[name, annotations[name] ?? '']] : [],
    ),
  );
}
