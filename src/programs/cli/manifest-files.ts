import { VimanaError } from '#platform/base/errors';
import type { Io } from './io.ts';

/** The manifest files that a path names. */
export function manifestFiles(io: Io, path: string): readonly string[] {
  return readable(path, () => io.manifestsAt(path));
}

/** The text of a file; a file that cannot be read is the user's to mend, and no fault of the program. */
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
