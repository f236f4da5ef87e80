import { statfsSync } from 'node:fs';

/**
 * Bytes that stay free on the disk. It covers what the other store, logs and other programs write between the check and
 * the commit.
 */
const RESERVE = 4 * 1024 * 1024;

const MEBIBYTE = 1024 * 1024;

/** Rejects a write before LMDB attempts it. */
export class NoSpaceError extends Error {
  readonly code = 'ENOSPC';

  constructor(available: number, needed: number) {
    super(`no space left on device: ${mebibytes(available)} are available, and a write needs ${mebibytes(needed)}`);
    this.name = 'NoSpaceError';
  }
}

/**
 * Throws if the file system of a directory has no space for a commit. LMDB must not find that out: it formats the
 * failure of a write into a buffer that is too small for it, which corrupts the memory of the process.
 */
export function assertSpace(directory: string, bytes: number): void {
  const { bavail, bsize, blocks } = statfsSync(directory);
  // Some network file systems do not know their size.
  if (blocks === 0) return;
  const available = bavail * bsize;
  const needed = bytes + RESERVE;
  if (available < needed) throw new NoSpaceError(available, needed);
}

const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
