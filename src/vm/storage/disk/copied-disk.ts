import { copyOf, DISK_CONTENTS_ANNOTATION, formatContents, parseContents } from '#api/disk/contents';
import { DISK_SOURCE_ANNOTATION, type DiskSource, SIMULATED_PROVISIONER } from '#api/disk/request';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import type { PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { contentsOf, isPopulated } from './claim-disks.ts';
import { bytesOf } from './guest-disks.ts';

/** Lookups of the objects that a disk can be copied from. */
export interface DiskOrigins {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  snapshot(namespace: string, name: string): Snapshot | undefined;
  storageClass(name: string): StorageClass | undefined;
}

/**
 * Properties that make a new claim the copy of a disk: annotations for simulated storage, a dataSource for other
 * storage.
 */
export interface CopiedDisk {
  readonly annotations: Readonly<Record<string, string>>;
  readonly dataSource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  /** Size of the source, which the claim has to hold. */
  readonly sourceBytes?: number;
}

/**
 * Builds a copy for a claim in `namespace`; simulated contents are included if they are known. Returns undefined while
 * the dataSource for other storage is unknown, since a claim without it would stay empty.
 */
export function copiedDisk(
  source: DiskSource,
  { namespace, storageClass }: { readonly namespace: string; readonly storageClass: string | undefined },
  origins: DiskOrigins,
): CopiedDisk | undefined {
  if (!isSimulatedClass(storageClass, origins)) return storedCopy(source, namespace, origins);
  const from = source.namespace ?? namespace;
  const text = copiedContents(source, from, origins);
  const bytes = source.claim === undefined ? undefined : bytesIn(origins.claim(from, source.claim));
  return {
    annotations: {
      [DISK_SOURCE_ANNOTATION]: JSON.stringify(source),
      ...(text === undefined ? {} : { [DISK_CONTENTS_ANNOTATION]: text }),
    },
    ...(bytes === undefined ? {} : { sourceBytes: bytes }),
  };
}

export function isSimulatedClass(
  storageClass: string | undefined,
  { storageClass: find }: Pick<DiskOrigins, 'storageClass'>,
) {
  return find(storageClass ?? '')?.provisioner === SIMULATED_PROVISIONER;
}

function copiedContents({ claim, snapshot, disk, linked = false }: DiskSource, from: string, origins: DiskOrigins) {
  if (claim !== undefined) {
    const found = origins.claim(from, claim);
    if (found === undefined || !isPopulated(found)) return undefined;
    return formatContents(copyOf(contentsOf(found), `claim ${from}/${claim}`, linked));
  }
  const saved = diskInSnapshot(snapshot, disk, from, origins);
  const contents = saved?.contents === undefined ? undefined : parseContents(saved.contents);
  return contents === undefined ? undefined : formatContents(copyOf(contents, `snapshot ${from}/${snapshot}`, linked));
}

const bytesIn = (claim: PersistentVolumeClaim | undefined) => (claim === undefined ? undefined : bytesOf(claim));

function storedCopy(
  { claim, snapshot, disk, namespace: from = '' }: DiskSource,
  namespace: string,
  origins: DiskOrigins,
): CopiedDisk | undefined {
  if (claim !== undefined) {
    const dataSource = { kind: 'PersistentVolumeClaim', name: claim };
    return { annotations: {}, dataSource, sourceBytes: bytesIn(origins.claim(from || namespace, claim)) ?? 0 };
  }
  const { volumeSnapshot: name, sizeBytes = 0 } = diskInSnapshot(snapshot, disk, from || namespace, origins) ?? {};
  if (name === undefined) return undefined;
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name };
  return { annotations: {}, dataSource, sourceBytes: sizeBytes };
}

function diskInSnapshot(snapshot: string | undefined, disk: string | undefined, from: string, origins: DiskOrigins) {
  return origins.snapshot(from, snapshot ?? '')?.status?.disks?.find(({ name }) => name === disk);
}
