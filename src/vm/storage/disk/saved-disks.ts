import {
  type DiskContents,
  formatContents,
  type GuestState,
  parseContents,
  restoredTo,
  retainedOf,
} from '#api/disk/contents';
import { DiskNotFoundError, type DiskStore } from './disk-store.ts';

/** Disks that are claims of a namespace, by the names that their VM uses. */
export interface ClaimedDisks {
  readonly namespace: string;
  readonly disks: readonly { readonly name: string; readonly claim: string }[];
}

/** Saved contents of a disk. */
export interface SavedDisk {
  readonly name: string;
  readonly claim: string;
  readonly contents: string;
}

type Branch = NonNullable<DiskContents['branch']>;

/** Saves the contents of disks that nobody writes to meanwhile. */
export async function saveDisks(store: DiskStore, { namespace, disks }: ClaimedDisks): Promise<SavedDisk[]> {
  return await Promise.all(
    disks.map(async ({ name, claim }) => ({
      name,
      claim,
      contents: formatContents(retainedOf(await store.read(namespace, claim))),
    })),
  );
}

/**
 * Restores disks to their saved contents, after all were checked. Disks already restored for the same request are
 * skipped, so that an interrupted restore can be repeated.
 */
export async function restoreDisks(
  store: DiskStore,
  namespace: string,
  saved: readonly SavedDisk[],
  branch: Branch,
  resume?: GuestState,
): Promise<void> {
  const desired = saved.map((disk) => ({ ...disk, kept: retainedIn(disk) }));
  await Promise.all(saved.map(({ claim }) => store.read(namespace, claim)));
  for (const { claim, kept } of desired) {
    // Each disk also holds the memory, which is only usable with all of them.
    await store.change(namespace, claim, (now) =>
      now.branch?.uid === branch.uid ? now : restoredTo(now, kept, branch, resume),
    );
  }
}

/** Returns the saved contents of a disk. */
export function retainedIn({ name, contents }: Pick<SavedDisk, 'name' | 'contents'>): DiskContents {
  const kept = parseContents(contents);
  if (kept === undefined) throw new DiskNotFoundError(`cannot read the saved contents of disk ${name}`);
  return kept;
}
