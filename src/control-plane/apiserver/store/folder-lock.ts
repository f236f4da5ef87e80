import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDirectory } from '#platform/base/directory';
import { tightenFile } from '#platform/kube/kubeconfig/private-file';
import { StoreError } from './store-error.ts';

const SQLITE_BUSY = 5;

/**
 * Holds a folder for this process until the returned function is called or the process dies, however it dies.
 *
 * Node offers no file lock of its own, but an exclusive SQLite transaction is one: the operating system's lock on the
 * file, which the kernel drops with its holder, which containers that share a volume see alike (unlike an abstract
 * socket, or a process id in a file), and which excludes a second opening in the same process too.
 * Nothing else may open and close the lock file in this process: closing it would drop the lock.
 */
export function lockFolder(folder: string): () => void {
  createDirectory(folder);
  const path = join(folder, 'folder.lock');
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // One that is there is never opened here: see above.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    tightenFile(path);
  }
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    throw new StoreError('FolderInUse', `the folder "${folder}" is in use by another store`, { cause });
  }
  return () => database.close();
}
