import { FleetModel, type FleetNode, type FleetVm } from './fleet-model.ts';
import type { Measures } from './measures.ts';

/** Default size of nodes in scenarios. */
export const REFERENCE_NODE = { cpuCores: 32, memoryBytes: 128 * 2 ** 30 } as const;

/** VM of a scenario in either format. */
export interface ScenarioVm {
  readonly id: string;
  /** Usage in cores and bytes. */
  readonly cpu: number;
  readonly memory: number;
}

/** Node with the metrics that the scenario states. */
export interface ScenarioNode extends Measures {
  readonly name: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: readonly ScenarioVm[];
}

export interface Scenario {
  readonly name: string;
  readonly nodes: readonly ScenarioNode[];
}

/** Builds the fleet of a scenario. The usage of VMs counts; stated metrics only count on nodes without VMs. */
export function fleetOf({ nodes }: Scenario): FleetModel {
  const fleetNodes = nodes.map((node): FleetNode => {
    const size = { name: node.name, cpu: node.cpuCores, memory: node.memoryBytes };
    if (node.vms.length > 0) return size;
    const { cpuUsage, cpuPressure, memoryUsage, memoryPressure } = node;
    return { ...size, stationary: { cpuUsage, cpuPressure, memoryUsage, memoryPressure } };
  });
  const vms = nodes.flatMap((node, at) => node.vms.map((vm): FleetVm => ({ ...vm, node: at })));
  return FleetModel.of(fleetNodes, vms);
}

/** Returns the nodes whose stated metrics differ from the sum of their VMs by more than a hundredth. */
export function inconsistentNodes({ nodes }: Scenario): readonly string[] {
  return nodes.flatMap(({ name, cpuCores, memoryBytes, cpuUsage, memoryUsage, vms }) => {
    const [cpu, memory] = [sum(vms, 'cpu') / cpuCores, Math.min(1, sum(vms, 'memory') / memoryBytes)];
    const agrees = Math.abs(cpu - cpuUsage) <= 0.01 && Math.abs(memory - memoryUsage) <= 0.01;
    return agrees || vms.length === 0 ? [] : [name];
  });
}

const sum = (vms: readonly ScenarioVm[], of: 'cpu' | 'memory') => vms.reduce((total, vm) => total + vm[of], 0);
