import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { ROOT_DISK } from '#api/novacron/claims';
import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { parseQuantity, value } from '#platform/base/quantity';
import type { ObservedVm } from '#vm/engine/dialect';
import type { VmUsage } from '#vm/engine/metrics';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import type { Phase } from './phase.ts';

type Resources = NonNullable<NonNullable<VirtualMachine['status']>['resources']>;

interface Known {
  readonly phase: Phase;
  readonly usage: VmUsage | undefined;
  /** Size of the root disk, if known. */
  readonly disk: string | number | undefined;
}

/** Returns the resources of a VM. The last measured usage of a running VM stays until the next measurement. */
export function resourcesOf(
  { spec, status }: VirtualMachine,
  live: ObservedVm['instance'],
  { phase, usage, disk }: Known,
): Resources {
  const { cpu, memory } = sizeOf(spec, live);
  const reported = phase === 'Running' || phase === 'Migrating' ? status?.resources : undefined;
  const cpuUse =
    usage === undefined ? usedIn(reported?.cpu) : share(`${round(usage.cpuCores, 100)}`, usage.cpuCores, cpu);
  const memoryUse =
    usage === undefined
      ? usedIn(reported?.memory)
      : share(`${Math.round(usage.memoryBytes / MEBIBYTE)}Mi`, usage.memoryBytes, value(parseQuantity(memory)));
  return {
    cpu: { ...cpuUse, available: `${cpu}` },
    memory: { ...memoryUse, available: memory },
    ...(disk === undefined ? {} : { disk: { available: disk } }),
  };
}

/**
 * Returns the current size of the guest, which a spec change may reach only at the next start, or else the desired one.
 */
function sizeOf({ template }: VirtualMachine['spec'], live: ObservedVm['instance']) {
  const { resources } = template.spec;
  const { currentCPUTopology: topology, memory } = live?.status ?? {};
  const { sockets = 1, cores = 1, threads = 1 } = topology ?? {};
  return {
    cpu: topology === undefined ? resources.cpu : sockets * cores * threads,
    memory: memory?.guestCurrent ?? resources.memory,
  };
}

/** Returns the size of the disk with the image. A copy without a size has that of its source, which is unknown here. */
export function rootSize(disks: readonly ClaimedDisk[], claims: VmDependencies['claims']): string | number | undefined {
  const root = disks.find(({ disk }) => disk.name === ROOT_DISK);
  if (root === undefined || (root.anySize === true && root.origin?.claim !== undefined)) return undefined;
  return claims?.get(ROOT_DISK)?.size ?? root.disk.size;
}

const MEBIBYTE = 1_048_576;

const round = (amount: number, parts: number) => Math.round(amount * parts) / parts;

const share = (used: string, amount: number, all: number) => ({ used, percentage: round((amount / all) * 100, 10) });

type ReportedResources = NonNullable<Resources['cpu']>;

function usedIn({ used, percentage }: ReportedResources = {}): Pick<ReportedResources, 'used' | 'percentage'> {
  return {
    ...(used === undefined ? {} : { used }),
    ...(percentage === undefined ? {} : { percentage }),
  };
}
