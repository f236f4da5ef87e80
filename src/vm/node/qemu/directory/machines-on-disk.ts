import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { removeCgroups } from '../isolation/cgroups.ts';
import { isProcessAlive, killKeeper } from '../keeper/keeper-process.ts';
import { MachineDirectory } from './machine-directory.ts';
import type { MachineRecord } from './machine-record.ts';

/** Machine of a data directory whose node agent need not run. */
export interface MachineOnDisk {
  readonly directory: MachineDirectory;
  readonly record: MachineRecord;
  readonly isRunning: boolean;
}

export interface MachinesOnDisk {
  readonly machines: readonly MachineOnDisk[];
  /** Directories among them that no node agent wrote. */
  readonly foreign: readonly string[];
}

/** Directory of the machines of all nodes, in a data directory. */
export const machinesDirectory = (dataDir: string) => join(dataDir, 'machines');

/** Finds the machines of all nodes of a data directory. */
export async function findMachines(dataDir: string): Promise<MachinesOnDisk> {
  const root = machinesDirectory(dataDir);
  const nodes = await readdir(root).catch(() => []);
  const directories = (await Promise.all(nodes.map((node) => MachineDirectory.list(join(root, node))))).flat();
  const found = await Promise.all(
    directories.map(async (directory) => {
      const record = await directory.record().catch(() => undefined);
      if (record === undefined) return directory.path;
      return { directory, record, isRunning: await isProcessAlive(directory) };
    }),
  );
  return {
    machines: found.filter((each) => typeof each !== 'string'),
    foreign: found.filter((each) => typeof each === 'string'),
  };
}

/** Ends a machine that no node agent manages, and deletes its directory. */
export async function deleteMachine({ directory, record }: MachineOnDisk, clock: Clock): Promise<void> {
  await killKeeper(directory, clock);
  await removeCgroups(record.cgroups ?? [], clock);
  await directory.remove();
}
