import { lockDirectory } from './directory-lock.ts';
import { writeData } from './environment.ts';
import { StoreHead } from './store-head.ts';
import type { Version } from './version.ts';

/** Creates a store from versions that are older than its first revision, before which nothing is readable. */
export async function writeStore(
  { directory, head }: { readonly directory: string; readonly head: string },
  versions: Iterable<Version>,
  firstRevision: number,
): Promise<void> {
  const unlock = lockDirectory(directory);
  try {
    await writeData(directory, versions, firstRevision);
    new StoreHead(head).create(firstRevision);
  } finally {
    unlock();
  }
}
