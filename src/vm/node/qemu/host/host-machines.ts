import { readdir, readFile } from 'node:fs/promises';

/** QEMU process of any Vimana instance of any user on this host. */
export interface HostMachine {
  readonly pid: number;
  /** Time of its start, in clock ticks since the host booted. */
  readonly startedAt: number;
  readonly memoryBytes: number;
}

const MIB = 2 ** 20;

/** Returns the guest memory of a command line, or undefined if it is not the QEMU of a Vimana machine. */
export function machineMemory(commandLine: string): number | undefined {
  const words = commandLine.split('\0');
  const isMachine = words[0]?.includes('qemu-system-') === true && words.includes('chardev=keeper,mode=control');
  const size = /^size=(\d+)M$/.exec(words[words.indexOf('-m') + 1] ?? '')?.[1];
  return isMachine && size !== undefined ? Number(size) * MIB : undefined;
}

/** Returns the start of a process by its /proc/PID/stat, whose second field may contain spaces and parentheses. */
export function startTime(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

/** Finds all machines on this host. Processes show more reliably than files what runs, whatever user started it. */
export async function readHostMachines(): Promise<HostMachine[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const memoryBytes = machineMemory(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
      if (memoryBytes === undefined) return [];
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
      return stat === undefined ? [] : [{ pid: Number(pid), startedAt: startTime(stat), memoryBytes }];
    }),
  );
  return found.flat();
}
