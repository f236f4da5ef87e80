import { open } from 'lmdb';
import { lockDirectory } from '../store/directory-lock.ts';
import { decodeRecord } from '../store/record.ts';
import { StoreError } from '../store/store-error.ts';
import { dataFile, readContent, replay } from '../store/stored-content.ts';
import { FIRST_REVISION, type Timeline } from '../store/timeline.ts';

/**
 * Reads the state of a store at one revision. An unused store is read from its file and locked meanwhile; a store in
 * use by a server is read in one LMDB transaction, which does not see later writes.
 */
export function readStore(directory: string): Timeline | undefined {
  let unlock: () => void;
  try {
    unlock = lockDirectory(directory);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'FolderInUse') return readLive(directory);
    throw error;
  }
  try {
    return readContent(directory)?.timeline;
  } finally {
    unlock();
  }
}

function readLive(directory: string): Timeline {
  const root = open<Buffer, string>({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    readOnly: true,
    maxDbs: 2,
    overlappingSync: false,
  });
  const meta = root.openDB<Buffer, string>('meta', { encoding: 'binary' });
  const records = root.openDB<Buffer, number>('records', { encoding: 'binary' });
  const transaction = records.useReadTransaction();
  try {
    const compacted = Number(meta.get('compacted', { transaction })?.toString() ?? FIRST_REVISION);
    const entries = records.getRange({ transaction }).map(({ key, value }) => ({ revision: key, value }));
    return replay(dataFile(directory), entries, compacted, decodeRecord).timeline;
  } finally {
    transaction.done();
    void root.close();
  }
}
