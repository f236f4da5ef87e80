import { readFileSync } from 'node:fs';

/** Reports whether a process runs. One that has ended and waits for its parent to notice does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
