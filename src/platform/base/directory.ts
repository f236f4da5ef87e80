import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, for its owner alone unless told; false where it was there already. Node's own recursive mkdir does not end where a
 * file system takes no folders, as /proc does.
 */
export function createDirectory(path: string, mode = 0o700): boolean {
  const whole = resolve(path);
  if (isFolder(whole)) return false;
  const above = dirname(whole);
  if (above !== whole) createDirectory(above, mode);
  try {
    mkdirSync(whole, { mode });
    return true;
  } catch (error) {
    // Somebody else was faster.
    if (isFolder(whole)) return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
