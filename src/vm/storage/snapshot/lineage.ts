import { bytesBeyond, type DiskContents } from '#api/disk/contents';
import type { Snapshot, SnapshotStatus } from '#api/hypersdk/snapshot-resources';
import { retainedIn } from '../disk/saved-disks.ts';

/** Reports whether a snapshot was captured. */
export function isCaptured({ status }: Snapshot): boolean {
  return status?.creationTime !== undefined && status.phase !== 'Failed';
}

/** Reports whether a snapshot was captured or has failed. */
export function isSettled(snapshot: Snapshot): boolean {
  return isCaptured(snapshot) || snapshot.status?.phase === 'Failed';
}

/** Returns the position of a new snapshot of a VM among the existing ones. */
export function lineageOf(
  vmUID: string,
  branch: DiskContents['branch'],
  others: readonly Snapshot[],
): Pick<SnapshotStatus, 'ancestors' | 'branch' | 'ordinal'> {
  const own = others.filter((each) => isCaptured(each) && each.status?.vmUID === vmUID);
  const ordinal = 1 + Math.max(0, ...own.map(({ status }) => status?.ordinal ?? 0));
  const since = own.filter(({ status }) => (status?.branch ?? '') === (branch?.uid ?? ''));
  const last = since.sort((a, b) => (a.status?.ordinal ?? 0) - (b.status?.ordinal ?? 0)).at(-1);
  const ancestors = last === undefined ? (branch?.on ?? []) : ancestryWith(last);
  return { ancestors, ordinal, ...(branch === undefined ? {} : { branch: branch.uid }) };
}

/** Returns the ancestors of disks restored to a snapshot: the snapshot and all before it. */
export function ancestryWith({ metadata, status }: Snapshot): { name: string; uid: string }[] {
  return [...(status?.ancestors ?? []), { name: metadata.name ?? '', uid: metadata.uid }];
}

/** Returns the ancestors of a snapshot that still exist, oldest first. */
export function existingAncestors(status: SnapshotStatus, others: readonly Snapshot[]): Snapshot[] {
  return (status.ancestors ?? []).flatMap(({ uid }) => {
    const found = others.find(({ metadata }) => metadata.uid === uid);
    return found !== undefined && isCaptured(found) ? [found] : [];
  });
}

/**
 * Returns the status with the fields that depend on other snapshots: the position in the chain, and the size that the
 * parent does not hold. When a snapshot is deleted, its children take over what only it held.
 */
export function inChain(status: SnapshotStatus, others: readonly Snapshot[]): SnapshotStatus {
  const chain = existingAncestors(status, others);
  const below = chain.at(-1);
  const { parentSnapshot: _parent, snapshotChain: _chain, ...rest } = status;
  const disks = (status.disks ?? []).map((disk) => {
    if (disk.contents === undefined) return disk;
    const under = below?.status?.disks?.find(({ name, contents }) => name === disk.name && contents !== undefined);
    const base = under === undefined ? undefined : retainedIn({ ...under, contents: under.contents ?? '' });
    return { ...disk, sizeBytes: bytesBeyond(retainedIn({ ...disk, contents: disk.contents }), base) };
  });
  const sizeBytes = disks.reduce((sum, disk) => sum + (disk.sizeBytes ?? 0), status.memoryBytes ?? 0);
  return {
    ...rest,
    disks,
    sizeBytes,
    size: formatSize(sizeBytes),
    includesMemory: status.memoryBytes !== undefined,
    ...(below === undefined
      ? {}
      : {
          parentSnapshot: below.metadata.name ?? '',
          snapshotChain: chain.map(({ metadata }) => metadata.name ?? ''),
        }),
  };
}

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** Formats a size for people: 512, 3.2Gi. */
export function formatSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10}${UNITS[power]}`;
}
