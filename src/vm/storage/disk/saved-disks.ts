import {
  type DiskContents,
  formatContents,
  type GuestState,
  parseContents,
  restoredTo,
  retainedOf,
} from '#api/disk/contents';
import { DiskNotFoundError, type DiskStore } from './disk-store.ts';

/** Disks that are claims of a namespace, by the names that their machine has for them. */
export interface ClaimedDisks {
  readonly namespace: string;
  readonly disks: readonly { readonly name: string; readonly claim: string }[];
}

/** A disk as it was. */
export interface SavedDisk {
  readonly name: string;
  readonly claim: string;
  readonly contents: string;
}

type Branch = NonNullable<DiskContents['branch']>;

/** Keeps what is on disks that nobody writes to meanwhile. */
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
 * Brings disks back to what was kept of them. All are looked at before the first is changed; those that have been
 * restored for the same request stay, so that one that was interrupted can be gone through again.
 */
export async function restoreDisks(
  store: DiskStore,
  namespace: string,
  saved: readonly SavedDisk[],
  branch: Branch,
  resume?: GuestState,
): Promise<void> {
  const wanted = saved.map((disk) => ({ ...disk, kept: retainedIn(disk) }));
  await Promise.all(saved.map(({ claim }) => store.read(namespace, claim)));
  for (const { claim, kept } of wanted) {
    // Each disk holds memory too: it is of use only with all of them.
    await store.change(namespace, claim, (now) =>
      now.branch?.uid === branch.uid ? now : restoredTo(now, kept, branch, resume),
    );
  }
}

/** What was kept of a disk. */
export function retainedIn({ name, contents }: Pick<SavedDisk, 'name' | 'contents'>): DiskContents {
  const kept = parseContents(contents);
  if (kept === undefined) throw new DiskNotFoundError(`what was kept of the disk ${name} cannot be read`);
  return kept;
}
