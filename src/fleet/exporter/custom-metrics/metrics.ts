import type { Pod } from '#platform/kube/kinds/pod';
import { type Amounts, launcherUsageOf, ratioOf } from '../launcher-usage.ts';
import type { NodeState } from '../node-load.ts';

/** Metrics of nodes, with the names that the exporter uses for Prometheus. */
export const NODE_METRICS: Readonly<Record<string, (state: NodeState) => number>> = {
  node_cpu_usage_ratio: ({ cpuUsage }) => cpuUsage,
  node_cpu_pressure_psi: ({ cpuPressure }) => cpuPressure,
  node_memory_usage_ratio: ({ memoryUsage }) => memoryUsage,
  node_memory_pressure_psi: ({ memoryPressure }) => memoryPressure,
  node_vm_count: ({ vms }) => vms,
};

/** Usage of a VM, and the size of its node. */
export interface VmMeasurement {
  readonly pod: Pod;
  readonly used: Amounts | undefined;
  readonly node: Amounts;
}

/**
 * Metrics of VMs and of their pods, undefined while unknown. A consumption is a ratio of a node: the annotated one, else
 * what is used of the VM's own node.
 */
export const VM_METRICS: Readonly<Record<string, (vm: VmMeasurement) => number | undefined>> = {
  vm_cpu_consumption: (vm) => consumption(vm, 'cpu', 'cores'),
  vm_memory_consumption: (vm) => consumption(vm, 'memory', 'bytes'),
  vm_cpu_usage_cores: ({ used }) => used?.cores,
  vm_memory_usage_bytes: ({ used }) => used?.bytes,
};

function consumption(
  { pod, used, node }: VmMeasurement,
  resource: 'cpu' | 'memory',
  unit: keyof Amounts,
): number | undefined {
  if (pod.metadata.annotations?.[`kubevirt.io/vm-${resource}-consumption`] !== undefined) {
    const usage = launcherUsageOf(pod);
    return usage === undefined ? undefined : ratioOf(usage[resource]);
  }
  return used === undefined || node[unit] === 0 ? undefined : used[unit] / node[unit];
}
