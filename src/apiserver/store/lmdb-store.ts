import { type Durability, LmdbJournal } from './lmdb-journal.ts';
import { RevisionStore, type StoreOptions } from './revision-store.ts';
import type { Store } from './store.ts';

export interface LmdbStoreOptions extends StoreOptions {
  /** Created when missing; one process at a time may have it open. */
  readonly folder: string;
  /**
   * `sync` (the default) answers a write when it is on disk. `relaxed` answers when the operating system has it: the
   * death of this process loses nothing, but that of the machine may lose the last moments, or the folder, because
   * pages may have reached the disk in any order. For what can be made again.
   */
  readonly durability?: Durability;
}

/** A store that survives in a folder: everything is read into memory at the start, and every write goes to LMDB. */
export async function openLmdbStore({ folder, durability = 'sync', ...options }: LmdbStoreOptions): Promise<Store> {
  const { journal, timeline } = await LmdbJournal.open(folder, durability);
  return new RevisionStore(options, timeline, journal);
}
