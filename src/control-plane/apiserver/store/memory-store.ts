import { RevisionStore, type StoreOptions } from './revision-store.ts';
import type { Store } from './store.ts';

/** Opens a store that exists only as long as the process: every write is visible and acknowledged at once. */
export function openMemoryStore(options: StoreOptions): Store {
  return new RevisionStore(options);
}
