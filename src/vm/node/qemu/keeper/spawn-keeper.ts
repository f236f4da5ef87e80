import { spawn } from 'node:child_process';
import { type KeeperLaunch, keeperCommand } from './keeper-script.ts';

/** Directories in which auxiliary programs are searched. */
export const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A keeper that this process has started, and that may not hold its lock yet. */
export interface SpawnedKeeper {
  isRunning(): boolean;
}

/**
 * Starts a keeper in its own session, so that neither the end of this process nor a signal to its terminal reaches it.
 * It gets no environment, because secrets of the node agent are no business of QEMU.
 */
export async function spawnKeeper(directory: string, launch: KeeperLaunch): Promise<SpawnedKeeper> {
  const { file, args } = keeperCommand(launch);
  const child = spawn(file, args, { cwd: directory, detached: true, stdio: 'ignore', env: { PATH: PROGRAM_PATH } });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('spawn', resolve).once('error', reject);
  await promise;
  child.unref();
  return { isRunning: () => child.exitCode === null && child.signalCode === null };
}
