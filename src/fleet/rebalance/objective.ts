import type { FleetModel } from './fleet-model.ts';
import { cpuPressure, memoryPressure } from './pressure.ts';

/** What one node adds to the tension in a fleet, from what is used on it as a share of what it has. */
export type NodeCost = (cpu: number, memory: number) => number;

/** Squares of usage: the nearer to each other nodes are, the less they add up to. */
export const imbalance: NodeCost = (cpu, memory) => cpu * cpu + memory * memory;

/** Pressure first, and balance where pressure says nothing, so that a crowded node is worth more than an uneven one. */
export const strain: NodeCost = (cpu, memory) =>
  4 * (cpuPressure(cpu) + memoryPressure(memory)) + imbalance(cpu, memory);

/** By how much moves would change the tension in a fleet as it is now; a look at two nodes tells. */
export class Objective {
  /** What each node adds now. */
  readonly now: Float64Array;
  readonly #fleet: FleetModel;
  readonly #cost: NodeCost;

  constructor(fleet: FleetModel, potential: NodeCost) {
    this.#fleet = fleet;
    this.#cost = potential;
    this.now = Float64Array.from(fleet.cpuUsed, (_, node) => this.#with(node, 0, 0));
  }

  /** The change at the node that a machine leaves. */
  leaving(vm: number): number {
    const { vmCpu, vmMemory } = this.#fleet.sizes;
    return this.#change(this.#fleet.homeOf(vm), -(vmCpu[vm] as number), -(vmMemory[vm] as number));
  }

  /** The change at the node that it comes to. */
  arriving(vm: number, node: number): number {
    const { vmCpu, vmMemory } = this.#fleet.sizes;
    return this.#change(node, vmCpu[vm] as number, vmMemory[vm] as number);
  }

  #change(node: number, cpu: number, memory: number): number {
    return this.#with(node, cpu, memory) - (this.now[node] as number);
  }

  #with(node: number, cpu: number, memory: number): number {
    const { cpuUsed, memoryUsed, sizes } = this.#fleet;
    const potential = this.#cost;
    return potential(
      ((cpuUsed[node] as number) + cpu) / (sizes.nodeCpu[node] as number),
      ((memoryUsed[node] as number) + memory) / (sizes.nodeMemory[node] as number),
    );
  }
}
