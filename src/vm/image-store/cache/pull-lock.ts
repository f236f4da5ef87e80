import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '#platform/base/clock';

const RETRY_MS = 500;

/**
 * Locks a download against other processes, such as `vimana image pull` beside `vimana up`. A lock whose process has
 * ended is taken over.
 */
export async function lockPull(path: string, clock: Clock, signal: AbortSignal): Promise<() => Promise<void>> {
  const own = await identityOf(process.pid);
  for (;;) {
    signal.throwIfAborted();
    const isOurs = await writeFile(path, own ?? '', { flag: 'wx', mode: 0o600 }).then(
      () => true,
      () => false,
    );
    if (isOurs) return () => rm(path, { force: true });
    const holder = await readFile(path, 'utf8').catch(() => '');
    if (await isGone(holder)) await breakLock(path, holder);
    else await clock.sleep(RETRY_MS, signal);
  }
}

/** A process ID may be used again, so that the start time belongs to the identity of a process. */
async function identityOf(pid: number): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const started = line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
  return started === undefined ? undefined : `${pid} ${started}`;
}

async function isGone(holder: string): Promise<boolean> {
  const pid = Number(holder.split(' ')[0]);
  return !(pid > 0) || (await identityOf(pid)) !== holder;
}

/** Removes the lock of a process that has ended, unless another process has just replaced it. */
async function breakLock(path: string, holder: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => holder);
  if (moved !== holder) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}
