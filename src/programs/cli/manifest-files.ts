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
    throw new VimanaError('UNREADABLE', `cannot read ${path}: ${reasonOf(error as Error)}`, { cause: error });
  }
}

/** Drops the code and the system call of an error of Node.js: ENOENT: no such file or directory, stat 'x'. */
function reasonOf({ message }: Error): string {
  return message.replace(/^E[A-Z]+: /, '').replace(/, [a-z]+(?: '.*')?$/, '');
}
