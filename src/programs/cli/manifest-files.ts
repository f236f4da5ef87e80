import { VimanaError } from '#platform/base/errors';
import type { Io } from './io.ts';

/** Returns the manifest files that a path names. */
export function manifestFiles(io: Io, path: string): readonly string[] {
  return readable(path, () => io.manifestsAt(path));
}

/** Reads a file. A file that cannot be read is the user's error, not an internal one. */
export function readTextFile(io: Io, path: string): string {
  return readable(path, () => io.read(path));
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new VimanaError('UNREADABLE', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}
