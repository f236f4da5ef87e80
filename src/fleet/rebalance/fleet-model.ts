import { emptyLoad, type Load } from './load.ts';
import type { Measures } from './measures.ts';
import { MoveRules, type NodeRules, type VmRules } from './move-rules.ts';
import { cpuPressure, memoryPressure } from './pressure.ts';

/** Tolerance for rounding of sums, so that a node that is exactly full does not count as overfull. */
const TOLERANCE = 1e-9;

export interface FleetNode extends NodeRules {
  readonly name: string;
  /** Capacity, in the unit that VMs are measured in. */
  readonly cpu: number;
  readonly memory: number;
  /** Load that belongs to no VM and cannot be moved, as ratios of the node. */
  readonly stationary?: Measures;
}

export interface FleetVm extends VmRules {
  readonly id: string;
  /** Usage, in the unit of the nodes. */
  readonly cpu: number;
  readonly memory: number;
  /** Index of its node. */
  readonly node: number;
}

/** Move of one VM between nodes, all by index. */
export interface Move {
  readonly vm: number;
  readonly from: number;
  readonly to: number;
}

/** Nodes and their VMs, stored in columns, since planners try thousands of moves on it. */
export class FleetModel {
  readonly nodes: readonly FleetNode[];
  readonly vms: readonly FleetVm[];
  /** Usage of each node in the unit of the VMs, including stationary load. */
  readonly cpuUsed: Float64Array;
  readonly memoryUsed: Float64Array;
  /** Capacity of each node, and usage of each VM. */
  readonly sizes: Sizes;
  readonly #home: Int32Array;
  /** VMs of each node in arbitrary order, and the position of each VM in its list. */
  readonly #members: number[][];
  readonly #slot: Int32Array;
  readonly #rules: MoveRules;

  private constructor(columns: Columns) {
    this.nodes = columns.nodes;
    this.vms = columns.vms;
    this.cpuUsed = columns.cpuUsed;
    this.memoryUsed = columns.memoryUsed;
    this.sizes = columns.sizes;
    this.#home = columns.home;
    this.#members = columns.members;
    this.#slot = columns.slot;
    this.#rules = columns.rules;
  }

  /** Creates a fleet. `budgets` are the numbers of VMs that each budget allows to move. */
  static of(nodes: readonly FleetNode[], vms: readonly FleetVm[], budgets: readonly number[] = []): FleetModel {
    const cpuUsed = Float64Array.from(nodes, ({ cpu, stationary }) => cpu * (stationary?.cpuUsage ?? 0));
    const memoryUsed = Float64Array.from(nodes, ({ memory, stationary }) => memory * (stationary?.memoryUsage ?? 0));
    const home = Int32Array.from(vms, ({ node }) => node);
    const members: number[][] = nodes.map(() => []);
    const slot = new Int32Array(vms.length);
    vms.forEach(({ cpu, memory, node }, vm) => {
      slot[vm] = (members[node] as number[]).push(vm) - 1;
      cpuUsed[node] = (cpuUsed[node] as number) + cpu;
      memoryUsed[node] = (memoryUsed[node] as number) + memory;
    });
    const sizes = {
      nodeCpu: Float64Array.from(nodes, ({ cpu }) => cpu),
      nodeMemory: Float64Array.from(nodes, ({ memory }) => memory),
      vmCpu: Float64Array.from(vms, ({ cpu }) => cpu),
      vmMemory: Float64Array.from(vms, ({ memory }) => memory),
    };
    const rules = MoveRules.of({ nodes, vms, budgets });
    return new FleetModel({ nodes, vms, cpuUsed, memoryUsed, sizes, home, members, slot, rules });
  }

  /** Copies the fleet in its current state, for trying moves. */
  clone(): FleetModel {
    return new FleetModel({
      nodes: this.nodes,
      vms: this.vms,
      cpuUsed: this.cpuUsed.slice(),
      memoryUsed: this.memoryUsed.slice(),
      sizes: this.sizes,
      home: this.#home.slice(),
      members: this.#members.map((each) => each.slice()),
      slot: this.#slot.slice(),
      rules: this.#rules.clone(),
    });
  }

  /** Returns the node of a VM. */
  homeOf(vm: number): number {
    return this.#home[vm] as number;
  }

  /** Returns the VMs on a node. */
  on(node: number): readonly number[] {
    return this.#members[node] as number[];
  }

  /** Reports whether a VM may move to a node: it has the memory, and the rules of nodes and budgets allow it. */
  fits(vm: number, node: number): boolean {
    const used = (this.memoryUsed[node] as number) + (this.sizes.vmMemory[vm] as number);
    if (used > (this.sizes.nodeMemory[node] as number) * (1 + TOLERANCE)) return false;
    return this.#rules.allows(vm, node, this.homeOf(vm) === this.vms[vm]?.node);
  }

  /** Moves a VM to another node. The caller has checked that it fits. */
  move(vm: number, to: number): void {
    const from = this.homeOf(vm);
    if (from === to) return;
    const { cpu, memory, node: origin } = this.vms[vm] as FleetVm;
    this.#rules.count(vm, from, to, from === origin ? 1 : to === origin ? -1 : 0);
    this.#add(from, -cpu, -memory);
    this.#add(to, cpu, memory);
    const left = this.#members[from] as number[];
    const last = left.pop() as number;
    if (last !== vm) {
      const slot = this.#slot[vm] as number;
      left[slot] = last;
      this.#slot[last] = slot;
    }
    this.#slot[vm] = (this.#members[to] as number[]).push(vm) - 1;
    this.#home[vm] = to;
  }

  #add(node: number, cpu: number, memory: number): void {
    this.cpuUsed[node] = (this.cpuUsed[node] as number) + cpu;
    this.memoryUsed[node] = (this.memoryUsed[node] as number) + memory;
  }

  /** Returns the current metrics of the nodes. */
  load(): Load {
    const load = emptyLoad(this.nodes.length);
    for (let node = 0; node < load.size; node++) this.#measure(node, load);
    return load;
  }

  #measure(node: number, load: Load): void {
    const { cpu, memory, stationary } = this.nodes[node] as FleetNode;
    const cpuUsage = Math.max(0, (this.cpuUsed[node] as number) / cpu);
    const memoryUsage = Math.min(1, Math.max(0, (this.memoryUsed[node] as number) / memory));
    load.cpuUsage[node] = cpuUsage;
    load.memoryUsage[node] = memoryUsage;
    if (stationary !== undefined && this.on(node).length === 0) {
      // Nothing has changed since the node was measured.
      load.cpuPressure[node] = stationary.cpuPressure;
      load.memoryPressure[node] = stationary.memoryPressure;
      return;
    }
    load.cpuPressure[node] = Math.max(cpuPressure(cpuUsage), stationary?.cpuPressure ?? 0);
    load.memoryPressure[node] = Math.max(memoryPressure(memoryUsage), stationary?.memoryPressure ?? 0);
  }
}

interface Sizes {
  readonly nodeCpu: Float64Array;
  readonly nodeMemory: Float64Array;
  readonly vmCpu: Float64Array;
  readonly vmMemory: Float64Array;
}

interface Columns {
  readonly nodes: readonly FleetNode[];
  readonly vms: readonly FleetVm[];
  readonly cpuUsed: Float64Array;
  readonly memoryUsed: Float64Array;
  readonly sizes: Sizes;
  readonly home: Int32Array;
  readonly members: number[][];
  readonly slot: Int32Array;
  readonly rules: MoveRules;
}
