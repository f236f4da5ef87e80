import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { realClock } from '#platform/base/clock';

const POLL_MS = 500;

/** Runs an action while no other process does. A lock whose holder has exited is taken over. */
export async function withLock(path: string, say: (line: string) => void, act: () => Promise<void>): Promise<void> {
  for (let told = false; !take(path); await realClock.sleep(POLL_MS)) {
    const holder = holderOf(path);
    if (!told && holder !== undefined) say(`waiting for process ${holder}, which builds already`);
    told ||= holder !== undefined;
  }
  try {
    await act();
  } finally {
    rmSync(path, { force: true });
  }
}

/** The file is created together with its content, so that its holder is always known. */
function take(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Two processes may both take over the lock of the same exited holder. Both then build the same program, which is
    // harmless.
    if (!isAlive(holderOf(path))) rmSync(path, { force: true });
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid === undefined || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
