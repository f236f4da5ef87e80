import { bytesBeyond, type DiskContents } from '#api/disk/contents';
import type { Snapshot, SnapshotStatus } from '#api/hypersdk/snapshot-resources';
import { retainedIn } from '../disk/saved-disks.ts';

/** Whether a snapshot holds what it is for. */
export function isCaptured({ status }: Snapshot): boolean {
  return status?.creationTime !== undefined && status.phase !== 'Failed';
}

/** Whether it is known what became of a snapshot. */
export function isSettled(snapshot: Snapshot): boolean {
  return isCaptured(snapshot) || snapshot.status?.phase === 'Failed';
}

/** Where a new snapshot of a machine stands among those that there are. */
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

/** What disks build on that are as a snapshot has them: it, and all before it. */
export function ancestryWith({ metadata, status }: Snapshot): { name: string; uid: string }[] {
  return [...(status?.ancestors ?? []), { name: metadata.name ?? '', uid: metadata.uid }];
}

/** Those that a snapshot builds on and that are still there, oldest first. */
export function living(status: SnapshotStatus, others: readonly Snapshot[]): Snapshot[] {
  return (status.ancestors ?? []).flatMap(({ uid }) => {
    const found = others.find(({ metadata }) => metadata.uid === uid);
    return found !== undefined && isCaptured(found) ? [found] : [];
  });
}

/**
 * What is told of what a snapshot holds, which depends on others: its place in the chain, and its size, which is what it
 * holds and the one below does not. When one goes, those above hold what only it held.
 */
export function inChain(status: SnapshotStatus, others: readonly Snapshot[]): SnapshotStatus {
  const chain = living(status, others);
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

/** A size for people: 512, 3.2Gi. */
export function formatSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10}${UNITS[power]}`;
}
