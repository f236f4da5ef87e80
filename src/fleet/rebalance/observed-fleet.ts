import { FleetModel, type FleetNode, type FleetVm } from './fleet-model.ts';
import { emptyLoad, type Load } from './load.ts';
import type { Measures } from './measures.ts';
import { cpuPressure, memoryPressure } from './pressure.ts';

/** Measured node with its VMs. */
export interface ObservedNode extends Measures {
  readonly name: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: readonly ObservedVm[];
}

export interface ObservedVm {
  readonly id: string;
  /** Usage in any unit, since only the proportion between VMs of one node counts. */
  readonly cpu: number;
  readonly memory: number;
}

export interface FleetObservation {
  readonly fleet: FleetModel;
  /** Measured load, which decides which nodes are over-utilized. */
  readonly load: Load;
}

/**
 * Builds the observed fleet. The measured usage of a node is split among its VMs in proportion to their declared usage,
 * which works for any reference node; VMs that cannot be moved become stationary load.
 */
export function observedFleet(nodes: readonly ObservedNode[], fixed: ReadonlySet<string>): FleetObservation {
  const load = emptyLoad(nodes.length);
  const vms: FleetVm[] = [];
  const fleetNodes = nodes.map((node, at): FleetNode => {
    load.cpuUsage[at] = node.cpuUsage;
    load.cpuPressure[at] = node.cpuPressure;
    load.memoryUsage[at] = node.memoryUsage;
    load.memoryPressure[at] = node.memoryPressure;
    const divided = shares(node);
    vms.push(...divided.filter(({ id }) => !fixed.has(id)).map((vm) => ({ ...vm, node: at })));
    const size = { name: node.name, cpu: node.cpuCores, memory: node.memoryBytes };
    const stay = divided.filter(({ id }) => fixed.has(id));
    return divided.length > 0 && stay.length === 0 ? size : { ...size, stationary: stationaryLoad(node, stay) };
  });
  return { fleet: FleetModel.of(fleetNodes, vms), load };
}

/** Returns the part of its node's measured usage that each VM has, in cores and bytes. */
function shares({ cpuCores, memoryBytes, cpuUsage, memoryUsage, vms }: ObservedNode): ObservedVm[] {
  const each = { cpu: unit(vms, 'cpu', cpuUsage * cpuCores), memory: unit(vms, 'memory', memoryUsage * memoryBytes) };
  return vms.map(({ id, cpu, memory }) => ({ id, cpu: cpu * each.cpu, memory: memory * each.memory }));
}

function unit(vms: readonly ObservedVm[], of: 'cpu' | 'memory', whole: number): number {
  const sum = vms.reduce((total, vm) => total + vm[of], 0);
  return sum > 0 ? whole / sum : 0;
}

/** Returns the stationary load: the measured one if no VM runs there, else that of the VMs that stay. */
function stationaryLoad(node: ObservedNode, stay: readonly ObservedVm[]): NonNullable<FleetNode['stationary']> {
  if (node.vms.length === 0) return node;
  const cpuUsage = stay.reduce((sum, { cpu }) => sum + cpu, 0) / node.cpuCores;
  const memoryUsage = stay.reduce((sum, { memory }) => sum + memory, 0) / node.memoryBytes;
  return { cpuUsage, cpuPressure: cpuPressure(cpuUsage), memoryUsage, memoryPressure: memoryPressure(memoryUsage) };
}
