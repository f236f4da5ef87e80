import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDirectory } from '#platform/base/directory';
import { tightenFile } from '#platform/kube/kubeconfig/private-file';
import { StoreError } from './store-error.ts';

const SQLITE_BUSY = 5;
/** Time to wait for a process that only looks whether the directory is locked. */
const LOOKING_MS = 300;
const LOCK_FILE = 'folder.lock';

/**
 * Locks a directory for this process until the returned function is called or the process dies, in whatever way.
 *
 * Node.js has no file lock of its own, but an exclusive SQLite transaction is one: it is the operating system's lock on
 * the file, which the kernel releases with its holder, which containers that share a volume see alike (unlike an
 * abstract socket, or a process id in a file), and which also excludes a second open in the same process. Nothing else
 * may open and close the lock file in this process: closing it would release the lock.
 */
export function lockDirectory(directory: string): () => void {
  createDirectory(directory);
  const path = join(directory, LOCK_FILE);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // An existing file is never opened here: see above.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    tightenFile(path);
  }
  const database = new DatabaseSync(path, { timeout: LOOKING_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    throw new StoreError('FolderInUse', `the directory "${directory}" is in use by another store`, { cause });
  }
  return () => database.close();
}

/**
 * Reports whether a process holds the lock of a directory. Any number of processes can look at the same time, and the
 * lock of a killed process does not count. It changes nothing.
 */
export function isDirectoryLocked(directory: string): boolean {
  const path = join(directory, LOCK_FILE);
  if (!existsSync(path)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) return true;
    throw cause;
  } finally {
    database?.close();
  }
}
