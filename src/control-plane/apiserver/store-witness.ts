import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './store/store-error.ts';
import { StoreHead } from './store/store-head.ts';
import { dataFile } from './store/stored-content.ts';
import { FIRST_REVISION } from './store/timeline.ts';
import { storePlaces } from './store-places.ts';

/**
 * The witness of a data directory lies with the keys of its cluster, and says that objects were stored under them, and up
 * to which revision at least. A store that was removed together with its head leaves nothing else behind that tells it
 * from one that was never there. It is written after all that it vouches for, so a first start that was killed has none.
 */
const witnessOf = (dataDir: string): StoreHead => new StoreHead(join(dataDir, 'pki', 'objects.head'));

/** Throws `Corrupt` where objects were stored in a data directory and are no longer there. Called before it is opened. */
export function assertStorePresent(dataDir: string): void {
  const { objects, events } = storePlaces(dataDir);
  // The store of Events is opened after that of objects, so one that is there says that the other was.
  const wasStored = witnessOf(dataDir).read() !== undefined || isThere(events.head);
  if (!wasStored || isThere(objects.head)) return;
  if (!isThere(dataFile(objects.folder))) {
    throw new StoreError(
      'Corrupt',
      `objects were stored in it before, and "${objects.folder}" and ${objects.head} are missing: they were removed`,
    );
  }
  throw new StoreError(
    'Corrupt',
    `${objects.head} is missing, so that nobody can tell whether "${objects.folder}" has all that was stored in it. To go on with what it has: vimana backup FILE --data-dir ${dataDir}, and restore that`,
  );
}

/** Throws `Corrupt` where a store does not reach what the witness says: it was replaced, together with its head. */
export function assertStoreReached(dataDir: string, revision: number): void {
  const reached = witnessOf(dataDir).read() ?? FIRST_REVISION;
  if (revision >= reached) return;
  throw new StoreError(
    'Corrupt',
    `"${storePlaces(dataDir).objects.folder}" ends with revision ${revision}, but revision ${reached} was stored in it: an older or an empty copy is in its place`,
  );
}

/** Whether objects were stored under the keys of a data directory. */
export function hasWitness(dataDir: string): boolean {
  return witnessOf(dataDir).read() !== undefined;
}

/** Writes the witness, once there are objects on disk and all that has to be there with them. */
export function recordReached(dataDir: string, revision: number): void {
  // Names reach the disk with their directory, and must not come after the name of the witness.
  syncDirectory(dataDir);
  witnessOf(dataDir).create(revision);
  syncDirectory(join(dataDir, 'pki'));
}

/** A file without content is as good as none. */
function isThere(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } catch {
    // Some file systems cannot, and have no order of their own to wait for.
  } finally {
    closeSync(directory);
  }
}
