import { join } from 'node:path';
import type { Durability } from './environment.ts';
import { LmdbJournal } from './lmdb-journal.ts';
import { RevisionStore, type StoreOptions } from './revision-store.ts';
import type { Store } from './store.ts';

export interface LmdbStoreOptions extends StoreOptions {
  /** Directory of the store, created if missing. Only one process at a time may open it. */
  readonly directory: string;
  /**
   * `sync` (the default) acknowledges a write when it is on disk. `relaxed` acknowledges it when the operating system
   * has it: a crash of this process loses nothing, but a crash of the host may lose the last moments, or the directory,
   * because pages may have reached the disk in any order. Use it for data that can be recreated.
   */
  readonly durability?: Durability;
  /** File that records how far the data goes. Defaults to one in the directory, but is better outside of it. */
  readonly head?: string;
}

/**
 * Opens a persistent store in a directory: everything is read into memory at the start, and every write goes to LMDB.
 */
export async function openLmdbStore(given: LmdbStoreOptions): Promise<Store> {
  const { directory, durability = 'sync', head = join(directory, 'head'), ...options } = given;
  const { journal, timeline } = await LmdbJournal.open({ directory, durability, head, clock: options.clock });
  return new RevisionStore(options, timeline, journal);
}
