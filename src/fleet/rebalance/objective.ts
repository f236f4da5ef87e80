import type { FleetModel } from './fleet-model.ts';
import { cpuPressure, memoryPressure } from './pressure.ts';

/** Cost that one node adds to the objective, from its usage as a ratio of its capacity. */
export type NodeCost = (cpu: number, memory: number) => number;

/** Sums the squares of usage, which are lowest when nodes are most alike. */
export const imbalance: NodeCost = (cpu, memory) => cpu * cpu + memory * memory;

/**
 * Weights pressure first, and balance where there is no pressure, so that a crowded node counts more than an uneven
 * one.
 */
export const strain: NodeCost = (cpu, memory) =>
  4 * (cpuPressure(cpu) + memoryPressure(memory)) + imbalance(cpu, memory);

/** Computes by how much moves would change the objective of a fleet. Only two nodes have to be evaluated. */
export class Objective {
  /** Current cost of each node. */
  readonly now: Float64Array;
  readonly #fleet: FleetModel;
  readonly #cost: NodeCost;

  constructor(fleet: FleetModel, potential: NodeCost) {
    this.#fleet = fleet;
    this.#cost = potential;
    this.now = Float64Array.from(fleet.cpuUsed, (_, node) => this.#with(node, 0, 0));
  }

  /** Returns the change at the node that a VM leaves. */
  leaving(vm: number): number {
    const { vmCpu, vmMemory } = this.#fleet.sizes;
    return this.#change(this.#fleet.homeOf(vm), -(vmCpu[vm] as number), -(vmMemory[vm] as number));
  }

  /** Returns the change at the node that a VM moves to. */
  arriving(vm: number, node: number): number {
    const { vmCpu, vmMemory } = this.#fleet.sizes;
    return this.#change(node, vmCpu[vm] as number, vmMemory[vm] as number);
  }

  /** Returns the share of a node's memory that has to be copied there if a VM moves to it. */
  copied(vm: number, node: number): number {
    const { vmMemory, nodeMemory } = this.#fleet.sizes;
    return (vmMemory[vm] as number) / (nodeMemory[node] as number);
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
