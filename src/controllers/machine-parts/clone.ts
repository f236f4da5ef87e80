import type { ClaimedDisk } from '../../api/disk/claimed-disk.ts';
import { DISK_SOURCE_ANNOTATION, type DiskSource } from '../../api/disk/request.ts';
import { DISK_SOURCES, OPERATION, OPERATION_UID } from '../../api/operation-request.ts';
import { TemporaryError } from '../../base/errors.ts';
import { type CopiedDisk, copiedDisk } from '../../kube/disk/copied-disk.ts';
import { mayCopy } from '../../kube/disk/foreign-source.ts';
import { OPERATIONS } from '../../kube/kinds/operations.ts';
import { VM_SNAPSHOTS } from '../../kube/kinds/snapshots.ts';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES, type StorageClass } from '../../kube/kinds/storage.ts';
import type { Cache } from '../../runtime/cache.ts';
import type { Context } from '../../runtime/controller.ts';
import { keyIn } from '../../runtime/key.ts';
import type { Machine } from './group.ts';

type Sources = Readonly<Record<string, DiskSource>>;

/** Machines are looked at again and again, and are others when they have changed. */
const known = new WeakMap<Machine, Sources>();

/** What the disk of a clone is a copy of, by what the clone says of itself; undefined for any other disk. */
function sourceOf(machine: Machine, disk: string): DiskSource | undefined {
  const text = machine.metadata.annotations?.[DISK_SOURCES];
  if (text === undefined) return undefined;
  const sources = known.get(machine) ?? read(text);
  known.set(machine, sources);
  return Object.hasOwn(sources, disk) ? sources[disk] : undefined;
}

function read(text: string): Sources {
  try {
    return (JSON.parse(text) as Sources | null) ?? {};
  } catch {
    return {};
  }
}

/** The disk of a clone holds what its source does, whatever the spec fills new disks with. */
export function asCloned(machine: Machine, disk: ClaimedDisk): ClaimedDisk {
  if (sourceOf(machine, disk.disk.name) === undefined) return disk;
  const { origin: _origin, ...rest } = disk;
  return rest;
}

/**
 * What makes the claim of a disk a copy; undefined where it is none. `operations`: whether there are any, and snapshots.
 * Throws while it is not known where real storage is to copy from.
 */
export function copyFor(
  machine: Machine,
  { disk, claim, origin }: ClaimedDisk,
  { cache }: Context,
  operations: boolean,
): CopiedDisk | undefined {
  const source = sourceOf(machine, disk.name) ?? (origin?.claim === undefined ? undefined : { claim: origin.claim });
  if (source === undefined) return undefined;
  const { namespace, annotations = {} } = machine.metadata;
  const made = madeBy(annotations);
  // Whoever fills the claim looks again: the operation that made the machine may be seen only then.
  if (
    !mayCopy(source, { namespace, name: claim, annotations }, (key) =>
      operations ? cache(OPERATIONS).get(key) : undefined,
    )
  )
    return { annotations: { ...made, [DISK_SOURCE_ANNOTATION]: JSON.stringify(source) } };
  const storageClass = disk.storageClass ?? usualClass(cache(STORAGE_CLASSES));
  const place = { namespace, storageClass };
  const copied = copiedDisk(source, place, {
    claim: (namespace, name) => cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)),
    snapshot: (namespace, name) => (operations ? cache(VM_SNAPSHOTS).get(keyIn(namespace, name)) : undefined),
    storageClass: (name) => cache(STORAGE_CLASSES).get(name),
  });
  if (copied === undefined)
    throw new TemporaryError(`VMSnapshot ${source.snapshot}, which disk ${disk.name} is a copy of, is not seen yet`);
  return source.namespace === undefined ? copied : { ...copied, annotations: { ...made, ...copied.annotations } };
}

/** The class that the server gives to claims without one. */
function usualClass(classes: Cache<StorageClass>): string | undefined {
  for (const { metadata } of classes.all()) {
    if (metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true') return metadata.name;
  }
  return undefined;
}

/** Which operation has made the machine, and so its claims. */
function madeBy(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    [OPERATION, OPERATION_UID].flatMap((name) =>
      Object.hasOwn(annotations, name) ? [[name, annotations[name] ?? '']] : [],
    ),
  );
}
