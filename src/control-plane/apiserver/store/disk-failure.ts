import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { NoSpaceError } from './free-space.ts';

/** Number of bytes to write to find out why writes fail. */
const PROBE_BYTES = 64 * 1024;

const FREE_SPACE = 'Free space on the disk of the data directory';

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: `no space left on device. ${FREE_SPACE}`,
  EDQUOT: 'the disk quota of this user is exceeded. Free space in the data directory, or increase the quota',
  EFBIG: 'the maximum file size is reached. Increase the file size limit of this process (ulimit -f)',
  EROFS: 'the disk of the data directory is mounted read-only. Check the system log, and remount it writable',
};

/** Explains why a write to a directory failed, and what to do. LMDB reports a partial write as a disk fault. */
export function explainedFailure(directory: string, error: unknown): unknown {
  const words =
    error instanceof NoSpaceError
      ? `${error.message}. ${FREE_SPACE}`
      : (WORDS[nameOf(error)] ?? WORDS[probe(directory) ?? '']);
  if (words === undefined) return error;
  return new Error(`${words}: writes then succeed again without a restart`, { cause: error });
}

/** Returns the name of an error. LMDB's errors carry the number that the system has for them. */
function nameOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' && code > 0 ? getSystemErrorName(-code) : '';
}

/** Returns the code of the error by which a plain write in the directory fails; undefined if it succeeds. */
function probe(directory: string): string | undefined {
  const path = join(directory, '.probe');
  try {
    const file = openSync(path, 'w', 0o600);
    try {
      for (let left = PROBE_BYTES; left > 0; ) left -= writeSync(file, Buffer.alloc(left));
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
