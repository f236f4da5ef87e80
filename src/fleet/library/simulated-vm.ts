import { resourceTypeFor } from '#api/kubevirt/resources';
import {
  FORCED_NODE,
  SIMULATION_CPU_CONSUMPTION,
  SIMULATION_MEMORY_CONSUMPTION,
  type VirtualMachine,
  virtualMachine,
} from '#api/simulation/virtual-machine';
import type { NewObject, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';

export type SimulatedVm = VirtualMachine & KubeObject;
export const SIMULATED_VMS: ResourceType<SimulatedVm> = resourceTypeFor(virtualMachine);

/** Suffix of the name of a simulated VM in the name of its instance. */
export const INSTANCE_SUFFIX = '.simulation';

/** Size of a simulated VM as ratios of one node. */
export interface RatioSize {
  readonly cpuConsumption: number;
  readonly memoryConsumption: number;
}

/** Absolute size of a simulated VM, of which it uses a part. Defaults to all of it. */
export interface AbsoluteSize {
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly cpuUtilization?: number;
  readonly memoryUtilization?: number;
}

export type Vm = {
  readonly id: string;
  /** Name of its pod, if known. */
  readonly podName?: string;
  /** Node that the scheduler chose, if known. */
  readonly scheduledNode?: string;
} & (RatioSize | AbsoluteSize);

export function isRatioSize(vm: RatioSize | AbsoluteSize): vm is RatioSize {
  return 'cpuConsumption' in vm;
}

/** Returns the spec of a VM. Memory in bytes always has a suffix, since a bare number is a ratio of a node. */
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

/** Metadata to create a VM with. */
export interface VmMetadata {
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Node to place it on, bypassing the scheduler. */
  readonly node?: string | undefined;
}

export function vmObject(vm: Vm, { namespace, labels, annotations, node }: VmMetadata): NewObject<SimulatedVm> {
  const { apiVersion, kind } = virtualMachine;
  // Without our admission, nobody else writes these annotations.
  const reported: Record<string, string> = isRatioSize(vm)
    ? {
        [SIMULATION_CPU_CONSUMPTION]: `${vm.cpuConsumption}`,
        [SIMULATION_MEMORY_CONSUMPTION]: `${vm.memoryConsumption}`,
      }
    : {};
  return {
    apiVersion,
    kind,
    metadata: {
      name: vm.id,
      namespace,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...reported, ...annotations, ...(node === undefined ? {} : { [FORCED_NODE]: node }) },
    },
    spec: vmSpec(vm),
  };
}
