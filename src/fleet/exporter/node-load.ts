import type { Measures } from '#fleet/rebalance/measures';
import { cpuPressure, memoryPressure } from '#fleet/rebalance/pressure';

/** Capacity and usage of a node. */
export interface NodeState extends Measures {
  readonly name: string;
  readonly roles: readonly string[];
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: number;
}

/** State of a node with its counters at one moment. */
export interface NodeLoad extends NodeState {
  /** State that stays the same object until something in it changes, so that results derived from it can be cached. */
  readonly state: NodeState;
  /** Counters since the node was first seen. */
  readonly spent: SpentTime;
}

/** Elapsed seconds: CPU time over all cores, and time in which something had to wait. */
export interface SpentTime {
  readonly cpuUser: number;
  readonly cpuIdle: number;
  readonly cpuWaiting: number;
  readonly memoryWaiting: number;
}

export const NOTHING_SPENT: SpentTime = { cpuUser: 0, cpuIdle: 0, cpuWaiting: 0, memoryWaiting: 0 };

/** Returns the metrics of a node from its usage as ratios of the node. */
export function measureLoad(cpuUsage: number, usedMemory: number): Measures {
  const memoryUsage = Math.min(1, usedMemory);
  return { cpuUsage, cpuPressure: cpuPressure(cpuUsage), memoryUsage, memoryPressure: memoryPressure(memoryUsage) };
}

/** Returns the counters after some more seconds with the same metrics. */
export function spentAfter(spent: SpentTime, seconds: number, cpuCores: number, measures: Measures): SpentTime {
  const busy = Math.min(1, measures.cpuUsage) * cpuCores * seconds;
  return {
    cpuUser: spent.cpuUser + busy,
    cpuIdle: spent.cpuIdle + cpuCores * seconds - busy,
    cpuWaiting: spent.cpuWaiting + measures.cpuPressure * seconds,
    memoryWaiting: spent.memoryWaiting + measures.memoryPressure * seconds,
  };
}
