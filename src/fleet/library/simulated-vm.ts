import { resourceTypeFor } from '#api/kubevirt/resources';
import {
  CPU_CONSUMPTION,
  FORCED_NODE,
  MEMORY_CONSUMPTION,
  type VirtualMachine,
  virtualMachine,
} from '#api/simulation/virtual-machine';
import type { NewObject, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';

export type SimulatedMachine = VirtualMachine & KubeObject;
export const SIMULATED_VMS: ResourceType<SimulatedMachine> = resourceTypeFor(virtualMachine);

/** What follows the name of a simulated machine in that of its instance. */
export const INSTANCE_SUFFIX = '.simulation';

/** A simulated machine that uses shares of one node. */
export interface RatioSize {
  readonly cpuConsumption: number;
  readonly memoryConsumption: number;
}

/** A simulated machine with a size of its own, of which it uses a part; all of it where nothing is said. */
export interface AbsoluteSize {
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly cpuUtilization?: number;
  readonly memoryUtilization?: number;
}

export type Vm = {
  readonly id: string;
  /** Its pod, where it is known. */
  readonly podName?: string;
  /** The node that the scheduler gave it, where it is known. */
  readonly scheduledNode?: string;
} & (RatioSize | AbsoluteSize);

export function isRatioSize(vm: RatioSize | AbsoluteSize): vm is RatioSize {
  return 'cpuConsumption' in vm;
}

/** The spec of a machine. Memory in bytes always has a suffix: a bare number would be a share of a node. */
export function vmSpec(vm: RatioSize | AbsoluteSize): VirtualMachine['spec'] {
  if (isRatioSize(vm)) {
    const { cpuConsumption, memoryConsumption } = vm;
    return { resources: { cpu: `${cpuConsumption}`, memory: `${memoryConsumption}` }, running: true };
  }
  const { cpuCores, memoryBytes, cpuUtilization = 1, memoryUtilization = 1 } = vm;
  return {
    resources: { cpu: `${cpuCores}`, memory: formatBytes(memoryBytes) },
    utilization: { cpu: `${cpuUtilization}`, memory: `${memoryUtilization}` },
    running: true,
  };
}

function formatBytes(bytes: number): string {
  for (const [suffix, unit] of UNITS) if (bytes % unit === 0) return `${bytes / unit}${suffix}`;
  return `${Math.ceil(bytes / 1024)}Ki`;
}

const UNITS = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
] as const;

/** What a machine is made with beside its size. */
export interface VmMetadata {
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The node that it is put on past the scheduler. */
  readonly node?: string | undefined;
}

export function vmObject(vm: Vm, { namespace, labels, annotations, node }: VmMetadata): NewObject<SimulatedMachine> {
  const { apiVersion, kind } = virtualMachine;
  // Where no admission of ours is at work, nobody else writes them.
  const told: Record<string, string> = isRatioSize(vm)
    ? { [CPU_CONSUMPTION]: `${vm.cpuConsumption}`, [MEMORY_CONSUMPTION]: `${vm.memoryConsumption}` }
    : {};
  return {
    apiVersion,
    kind,
    metadata: {
      name: vm.id,
      namespace,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...told, ...annotations, ...(node === undefined ? {} : { [FORCED_NODE]: node }) },
    },
    spec: vmSpec(vm),
  };
}
