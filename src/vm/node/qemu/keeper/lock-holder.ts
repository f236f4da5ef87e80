import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Reports whether a keeper is in charge of a machine directory, by the lock that only a living one holds. */
export async function hasKeeper(directory: string): Promise<boolean> {
  const lock = await stat(join(directory, 'lock')).catch(() => undefined);
  if (lock === undefined) return false;
  return isLocked(await readFile('/proc/locks', 'utf8'), lock);
}

/** Reports whether /proc/locks lists a lock of a file. It names devices as major:minor in hexadecimal. */
export function isLocked(locks: string, { ino, dev }: { readonly ino: number; readonly dev: number }): boolean {
  const major = ((dev >>> 8) & 0xfff) | 0;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  const wanted = `${hex(major)}:${hex(minor)}:${ino}`;
  return locks.split('\n').some((line) => line.includes(' FLOCK ') && line.split(/\s+/).includes(wanted));
}
