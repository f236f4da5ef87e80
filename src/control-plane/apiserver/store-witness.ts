import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './store/store-error.ts';
import { StoreHead } from './store/store-head.ts';
import { dataFile } from './store/stored-content.ts';
import { FIRST_REVISION } from './store/timeline.ts';
import { storePlaces } from './store-places.ts';

/**
 * Returns the witness of a data directory, which lies with the keys of its cluster and records that objects were stored
 * under them, up to which revision at least. It alone distinguishes a store that was deleted together with its head
 * from one that never existed. It is written after everything that it vouches for, so a first start that was killed has
 * none.
 */
const witnessOf = (dataDir: string): StoreHead => new StoreHead(join(dataDir, 'pki', 'objects.head'));

/**
 * Throws `Corrupt` if objects were stored in a data directory and no longer exist. Call it before opening the store.
 */
export function assertStorePresent(dataDir: string): void {
  const { objects, events } = storePlaces(dataDir);
  // The store of Events is opened after that of objects, so its existence implies that the other existed.
  const wasStored = witnessOf(dataDir).read() !== undefined || isThere(events.head);
  if (!wasStored || isThere(objects.head)) return;
  if (!isThere(dataFile(objects.directory))) {
    throw new StoreError(
      'Corrupt',
      `objects were stored in it before, but "${objects.directory}" and ${objects.head} are missing: they were deleted`,
    );
  }
  throw new StoreError(
    'Corrupt',
    `${objects.head} is missing, so "${objects.directory}" may not contain everything that was stored in it. To continue with its contents: vimana backup FILE --data-dir ${dataDir}, and restore that file`,
  );
}

/** Throws `Corrupt` if a store is behind the witness, which means that it was replaced together with its head. */
export function assertStoreReached(dataDir: string, revision: number): void {
  const reached = witnessOf(dataDir).read() ?? FIRST_REVISION;
  if (revision >= reached) return;
  throw new StoreError(
    'Corrupt',
    `"${storePlaces(dataDir).objects.directory}" ends with revision ${revision}, but revision ${reached} was stored in it: it was replaced by an older or empty copy`,
  );
}

/** Reports whether objects were stored under the keys of a data directory. */
export function hasWitness(dataDir: string): boolean {
  return witnessOf(dataDir).read() !== undefined;
}

/** Writes the witness, once objects and everything that belongs to them are on disk. */
export function recordReached(dataDir: string, revision: number): void {
  // Directory entries must reach the disk no later than that of the witness.
  syncDirectory(dataDir);
  witnessOf(dataDir).create(revision);
  syncDirectory(join(dataDir, 'pki'));
}

/** Reports whether a file exists; an empty file counts as missing. */
function isThere(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } catch {
    // Some file systems cannot sync a directory, and have no write order to wait for.
  } finally {
    closeSync(directory);
  }
}
