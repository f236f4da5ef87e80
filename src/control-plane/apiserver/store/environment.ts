import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { RecordEncoder } from './record.ts';
import { FORMAT } from './stored-content.ts';
import type { Version } from './version.ts';

export type Durability = 'sync' | 'relaxed';

/** Page size that fits two or more objects of typical size; with 4 KiB each would take whole pages of its own. */
export const PAGE_SIZE = 8192;

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
      for (const version of versions) records.putSync(version.revision, encoder.encode([version])[0]!);
      meta.putSync('compacted', Buffer.from(String(compacted)));
      meta.putSync('format', Buffer.from(FORMAT));
    });
  } finally {
    await root.close();
  }
}
