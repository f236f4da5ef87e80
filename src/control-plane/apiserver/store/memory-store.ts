import { RevisionStore, type StoreOptions } from './revision-store.ts';
import type { Store } from './store.ts';

/** A store that lives and dies with the process: every write is visible and answered at once. */
export function openMemoryStore(options: StoreOptions): Store {
  return new RevisionStore(options);
}
