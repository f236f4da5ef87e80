import { join } from 'node:path';
import type { Durability } from './environment.ts';
import { LmdbJournal } from './lmdb-journal.ts';
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
  /** The file that says how far the data goes; in the folder where absent, better outside of it. */
  readonly head?: string;
}

/** A store that survives in a folder: everything is read into memory at the start, and every write goes to LMDB. */
export async function openLmdbStore(given: LmdbStoreOptions): Promise<Store> {
  const { folder, durability = 'sync', head = join(folder, 'head'), ...options } = given;
  const { journal, timeline } = await LmdbJournal.open({ folder, durability, head, clock: options.clock });
  return new RevisionStore(options, timeline, journal);
}
