import { FleetModel, type FleetNode, type FleetVm } from './fleet-model.ts';
import { emptyLoad, type Load } from './load.ts';
import type { Measures } from './measures.ts';
import type { Requests } from './move-rules.ts';
import { cpuPressure, memoryPressure } from './pressure.ts';

/** Measured node with its VMs. */
export interface ObservedNode extends Measures {
  readonly name: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: readonly ObservedVm[];
  /** False if the node has lost contact to its control plane. Its measurements are outdated then. */
  readonly isReady?: boolean;
  /** Set if the node is cordoned. */
  readonly isCordoned?: boolean;
  /** Resources that VMs may still request on it. */
  readonly free?: Requests;
}

export interface ObservedVm {
  readonly id: string;
  /** Usage in any unit, since only the proportion between VMs of one node counts. */
  readonly cpu: number;
  readonly memory: number;
  readonly request?: Requests;
  /** Names of nodes that do not accept the VM, such as those with taints that it does not tolerate. */
  readonly excluded?: readonly string[];
  /** PodDisruptionBudgets that cover the VM. */
  readonly budgets?: readonly ObservedBudget[];
  /** Seconds since its last migration. Absent if none is known. */
  readonly secondsSinceMove?: number;
}

export interface ObservedBudget {
  readonly name: string;
  readonly allowed: number;
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
  const rules = new RuleIndex(nodes);
  const fleetNodes = nodes.map((node, at): FleetNode => {
    load.cpuUsage[at] = node.cpuUsage;
    load.cpuPressure[at] = node.cpuPressure;
    load.memoryUsage[at] = node.memoryUsage;
    load.memoryPressure[at] = node.memoryPressure;
    const divided = shares(node);
    vms.push(...divided.filter(({ id }) => !fixed.has(id)).map((vm) => rules.fleetVm(vm, at)));
    const size = { name: node.name, cpu: node.cpuCores, memory: node.memoryBytes, isClosed: node.isCordoned ?? false };
    const known = node.free === undefined ? size : { ...size, free: node.free };
    const stay = divided.filter(({ id }) => fixed.has(id));
    return divided.length > 0 && stay.length === 0 ? known : { ...known, stationary: stationaryLoad(node, stay) };
  });
  return { fleet: FleetModel.of(fleetNodes, vms, rules.allowed), load };
}

/** Replaces the names of nodes and budgets by indexes. */
class RuleIndex {
  /** Number of VMs that each budget allows to move. */
  readonly allowed: number[] = [];
  readonly #nodes: ReadonlyMap<string, number>;
  readonly #budgets = new Map<string, number>();

  constructor(nodes: readonly ObservedNode[]) {
    this.#nodes = new Map(nodes.map(({ name }, at) => [name, at]));
  }

  fleetVm({ id, cpu, memory, request, excluded = [], budgets = [] }: ObservedVm, node: number): FleetVm {
    const closed = excluded.flatMap((name) => this.#nodes.get(name) ?? []);
    return {
      ...{ id, cpu, memory, node },
      ...(request === undefined ? {} : { request }),
      ...(closed.length === 0 ? {} : { excluded: new Set(closed) }),
      ...(budgets.length === 0 ? {} : { budgets: budgets.map((budget) => this.#budget(budget)) }),
    };
  }

  #budget({ name, allowed }: ObservedBudget): number {
    const known = this.#budgets.get(name);
    if (known !== undefined) return known;
    this.#budgets.set(name, this.allowed.length);
    return this.allowed.push(allowed) - 1;
  }
}

/** Returns the VMs with their part of the node's measured usage, in cores and bytes. */
function shares({ cpuCores, memoryBytes, cpuUsage, memoryUsage, vms }: ObservedNode): ObservedVm[] {
  const each = { cpu: unit(vms, 'cpu', cpuUsage * cpuCores), memory: unit(vms, 'memory', memoryUsage * memoryBytes) };
  return vms.map((vm) => ({ ...vm, cpu: vm.cpu * each.cpu, memory: vm.memory * each.memory }));
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
