import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { assertSpace } from './free-space.ts';
import { RecordEncoder } from './record.ts';
import { FORMAT } from './stored-content.ts';
import type { Version } from './version.ts';

export type Durability = 'sync' | 'relaxed';

/** Page size that fits two or more objects of typical size; with 4 KiB each would take whole pages of its own. */
export const PAGE_SIZE = 8192;

/** Pages that any commit may write besides its records: branches of the trees, and the list of free pages. */
const COMMON_PAGES = 32;

/**
 * Returns the maximum number of bytes by which a commit extends the file. A record takes less than twice its size, and
 * a removal rewrites its page.
 */
export const commitBytes = (recordBytes: number, removals = 0): number =>
  2 * recordBytes + (removals + COMMON_PAGES) * PAGE_SIZE;

/** Holds an LMDB environment as stores use it. */
export interface Environment {
  readonly root: RootDatabase<Buffer, string>;
  /** One record per revision, so that writes only ever append. */
  readonly records: Database<Buffer, number>;
  readonly meta: Database<Buffer, string>;
}

export function openEnvironment(directory: string, durability: Durability): Environment {
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    pageSize: PAGE_SIZE,
    maxDbs: 2,
    noMemInit: true,
    // We group writes ourselves. Otherwise LMDB would wait for a turn of the event loop and create promises nobody
    // awaits.
    eventTurnBatching: false,
    // LMDB's intermediate mode, to commit first and flush later, still waits for the disk once per group.
    overlappingSync: false,
    noSync: durability === 'relaxed',
    permissionsMode: 0o600,
  };
  assertSpace(directory, commitBytes(0));
  const root = open<Buffer, string>(options);
  return {
    root,
    records: root.openDB<Buffer, number>('records', { encoding: 'binary' }),
    meta: root.openDB<Buffer, string>('meta', { encoding: 'binary' }),
  };
}

/** Replaces the data of a directory by these versions, in the current format, atomically and flushed. */
export async function writeData(directory: string, versions: Iterable<Version>, compacted: number): Promise<void> {
  const { root, records, meta } = openEnvironment(directory, 'sync');
  const encoder = new RecordEncoder();
  try {
    root.transactionSync(() => {
      let bytes = 0;
      for (const version of versions) {
        const record = encoder.encode([version])[0]!;
        bytes += record.length;
        records.putSync(version.revision, record);
      }
      assertSpace(directory, commitBytes(bytes));
      meta.putSync('compacted', Buffer.from(String(compacted)));
      meta.putSync('format', Buffer.from(FORMAT));
    });
  } finally {
    await root.close();
  }
}
