import { availableParallelism, totalmem } from 'node:os';
import { Option } from 'commander';
import { RUNTIMES, type Runtime } from '#api/runtime';
import type { CheckedCommand } from './checked-command.ts';
import type { NodeFlags } from './node-flags.ts';

/** Flags that select how the machines of nodes run. */
export interface RuntimeFlags {
  readonly runtime: Runtime;
  /** Leaves real machines running when the process ends. */
  readonly leaveMachines: boolean;
  /** Directories of the host whose files VMs may use as hostDisk. */
  readonly hostDiskDirs: readonly string[];
}

const GIB = 2 ** 30;
/** Part of the host's memory that guests may have. The rest is for the host, this process and QEMU itself. */
const GUEST_MEMORY = 0.8;

export function withRuntimeFlags(command: CheckedCommand): CheckedCommand {
  return command
    .addOption(
      new Option('--runtime <name>', 'how the VMs of the nodes run; qemu boots real guests on this host')
        .choices(RUNTIMES)
        .default('simulated'),
    )
    .option('--leave-machines', 'leave real VMs running when the process ends', false)
    .addOption(
      new Option(
        '--host-disk-dirs <directories>',
        'directories with files that VMs may use as hostDisk, separated by commas',
      )
        .argParser((text: string) => text.split(',').filter((each) => each !== ''))
        .default([], 'none'),
    );
}

/** Sizes nodes with real machines by the host that they share, unless the user has set something else. */
export function withRuntimeDefaults<T extends NodeFlags & RuntimeFlags & { readonly nodes: number }>(
  flags: T,
  isGiven: (name: string) => boolean,
): T {
  if (flags.runtime === 'simulated') return flags;
  const nodes = isGiven('nodes') ? flags.nodes : 1;
  return {
    ...flags,
    nodes,
    nodePrefix: isGiven('nodePrefix') ? flags.nodePrefix : 'qemu-node-',
    nodeSize: isGiven('nodeSize') ? flags.nodeSize : hostShare(nodes),
  };
}

function hostShare(nodes: number): string {
  const count = Math.max(1, nodes);
  const cpus = Math.max(1, Math.floor(availableParallelism() / count));
  const memory = Math.max(1, Math.floor((totalmem() * GUEST_MEMORY) / GIB / count));
  return `${cpus}cpu,${memory}Gi`;
}
