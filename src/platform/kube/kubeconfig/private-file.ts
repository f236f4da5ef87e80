import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createDirectory } from '#platform/base/directory';
import { ConfigError } from '#platform/base/errors';

const ONLY_OWNER_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Writes a file that only its owner may read. The write is atomic: readers find the old content or the new, and others
 * can never read it.
 */
export function writePrivateFile(path: string, content: string): void {
  // The draft is in the same directory, because a rename is atomic only within one file system.
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

/** Creates a directory and its parents that only its owner may enter. An existing one gets the same permissions. */
export function createPrivateDirectory(path: string): void {
  if (!createDirectory(path, OWNER_ONLY_DIRECTORY)) tighten(path, OWNER_ONLY_DIRECTORY);
}

/** Removes the permissions of all but the owner from a file. A missing file is ignored. */
export function tightenFile(path: string): void {
  tighten(path, ONLY_OWNER_FILE);
}

function tighten(path: string, allowed: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // Devices and pipes keep their permissions, because a log may go to one.
  if (found === undefined || !(found.isFile() || found.isDirectory())) return;
  if ((found.mode & OTHERS) === 0) return;
  if (found.isDirectory() && (found.mode & STICKY) !== 0) {
    throw new ConfigError(`${path} is a directory shared by all users of this host`, {
      hint: `Choose a separate directory, such as ${join(path, 'vimana')}: it will contain secrets.`,
    });
  }
  try {
    chmodSync(path, found.mode & allowed);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') throw cause;
    throw new ConfigError(`${path} belongs to another user and is readable by others`, {
      cause,
      hint: `Ask its owner to run chmod ${allowed.toString(8)} ${path}, or choose another path.`,
    });
  }
}
