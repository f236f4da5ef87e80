import { readlink, realpath } from 'node:fs/promises';
import type { Clock } from '#platform/base/clock';
import type { MachineDirectory } from '../directory/machine-directory.ts';
import { waitForChange } from '../directory/wait-for-change.ts';
import { hasKeeper } from './lock-holder.ts';

const DEATH_TIMEOUT_MS = 30_000;
const PID_FILES = ['pid', 'qemu.pid'];

/** Reports whether QEMU or its keeper still runs. A process is recognized by its working directory, never by its ID. */
export async function isProcessAlive(directory: MachineDirectory): Promise<boolean> {
  return (await hasKeeper(directory.path)) || (await isIn(directory, 'qemu.pid'));
}

/** Reports whether keeper and QEMU have recorded their process IDs, by which they can be killed. */
export async function hasProcessIds(directory: MachineDirectory): Promise<boolean> {
  const pids = await Promise.all(PID_FILES.map((file) => pidIn(directory, file)));
  return pids.every((pid) => pid !== undefined);
}

/** Returns the process ID of QEMU while it runs. */
export async function qemuPid(directory: MachineDirectory): Promise<number | undefined> {
  return (await isIn(directory, 'qemu.pid')) ? await pidIn(directory, 'qemu.pid') : undefined;
}

/** Kills the keeper and thereby QEMU, and resolves when neither runs. */
export async function killKeeper(directory: MachineDirectory, clock: Clock): Promise<void> {
  for (const file of PID_FILES) {
    const pid = await pidIn(directory, file);
    if (pid !== undefined && (await isIn(directory, file))) killQuietly(pid);
  }
  const gone = await waitForChange(directory.path, async () => ((await isProcessAlive(directory)) ? undefined : true), {
    clock,
    timeoutMs: DEATH_TIMEOUT_MS,
  });
  if (gone === undefined) throw new Error(`the processes of ${directory.path} do not end`);
}

async function isIn(directory: MachineDirectory, file: string): Promise<boolean> {
  const pid = await pidIn(directory, file);
  if (pid === undefined) return false;
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return cwd !== undefined && cwd === (await realpath(directory.path).catch(() => undefined));
}

async function pidIn(directory: MachineDirectory, file: string): Promise<number | undefined> {
  const pid = Number(await directory.text(file));
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
