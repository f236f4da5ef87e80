import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and its parents, by default for the owner only, and returns false if it already existed. The
 * recursive mkdir of Node.js does not end where a file system takes no directories, as with /proc.
 */
export function createDirectory(path: string, mode = 0o700): boolean {
  const whole = resolve(path);
  if (isDirectory(whole)) return false;
  const above = dirname(whole);
  if (above !== whole) createDirectory(above, mode);
  try {
    mkdirSync(whole, { mode });
    return true;
  } catch (error) {
    // Another process created it first.
    if (isDirectory(whole)) return false;
    throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
