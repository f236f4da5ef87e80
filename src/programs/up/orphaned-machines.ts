import { realClock } from '#platform/base/clock';
import { knownDirectories } from '#programs/instances/registry';
import { deleteMachine, findMachines, type MachineOnDisk } from '#vm/node/qemu/directory/machines-on-disk';

/** Real machines of a data directory that run although no `vimana up` does. */
export interface OrphanedMachines {
  readonly dataDir: string;
  readonly machines: readonly OrphanedMachine[];
}

interface OrphanedMachine {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** Process of its keeper. */
  readonly pid: number;
  readonly startedAt: number;
}

/** Finds the machines that run without an instance, in all data directories of this user. */
export async function findOrphans(running: ReadonlySet<string>): Promise<OrphanedMachines[]> {
  const directories = knownDirectories().filter((dataDir) => !running.has(dataDir));
  const found = await Promise.all(
    directories.map(async (dataDir) => {
      const { machines } = await findMachines(dataDir).catch(() => ({ machines: [] }));
      const alive = machines.filter(({ isRunning }) => isRunning);
      return { dataDir, machines: await Promise.all(alive.map(orphanOf)) };
    }),
  );
  return found.filter(({ machines }) => machines.length > 0);
}

async function orphanOf({ directory, record }: MachineOnDisk): Promise<OrphanedMachine> {
  const { spec, node, startedAt } = record;
  return { namespace: spec.namespace, name: spec.name, node, pid: Number(await directory.text('pid')), startedAt };
}

export interface DeletedOrphans {
  /** Number of machines that ran. */
  readonly ended: number;
  /** Directories that no node agent wrote, which stay. */
  readonly foreign: readonly string[];
}

/** Ends the machines of a data directory that no `vimana up` uses any more, and deletes their directories. */
export async function deleteOrphans(dataDir: string): Promise<DeletedOrphans> {
  const { machines, foreign } = await findMachines(dataDir);
  await Promise.all(machines.map((machine) => deleteMachine(machine, realClock)));
  return { ended: machines.filter(({ isRunning }) => isRunning).length, foreign };
}
