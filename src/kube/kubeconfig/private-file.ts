import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../base/folder.ts';

const ONLY_OWNER_FILE = 0o600;
const ONLY_OWNER_FOLDER = 0o700;

/**
 * Writes a file that only its owner may read. Whoever looks finds the old content or the new, never a part, and
 * never a moment at which others may read it.
 */
export function writePrivateFile(path: string, content: string): void {
  // In the same folder, because a file can only be renamed at once within one file system.
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = openSync(draft, 'wx', ONLY_OWNER_FILE);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes a folder, with those above it, that only its owner may enter. */
export function makePrivateFolder(path: string): void {
  if (!makeFolder(path, ONLY_OWNER_FOLDER)) {
    // It was there already, perhaps made by hand with wider permissions.
    chmodSync(path, ONLY_OWNER_FOLDER);
  }
}
