import type { Measures } from '#fleet/rebalance/measures';
import { cpuPressure, memoryPressure } from '#fleet/rebalance/pressure';

/** What a node has and what is used of it. */
export interface NodeState extends Measures {
  readonly name: string;
  readonly roles: readonly string[];
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: number;
}

/** The same at some moment. */
export interface NodeLoad extends NodeState {
  /** The very same object as long as nothing in it has changed, so that what was made of it can be kept. */
  readonly state: NodeState;
  /** Since the node was first seen. */
  readonly spent: SpentTime;
}

/** Seconds that went by: CPU time over all cores, and time in which something had to wait. */
export interface SpentTime {
  readonly cpuUser: number;
  readonly cpuIdle: number;
  readonly cpuWaiting: number;
  readonly memoryWaiting: number;
}

export const NOTHING_SPENT: SpentTime = { cpuUser: 0, cpuIdle: 0, cpuWaiting: 0, memoryWaiting: 0 };

/** What a node measures from how much of it is used, in cores and bytes. */
export function measureLoad(
  { cpuCores, memoryBytes }: Pick<NodeState, 'cpuCores' | 'memoryBytes'>,
  used: { readonly cores: number; readonly bytes: number },
): Measures {
  const cpuUsage = cpuCores > 0 ? used.cores / cpuCores : 0;
  const memoryUsage = memoryBytes > 0 ? Math.min(1, used.bytes / memoryBytes) : 0;
  return { cpuUsage, cpuPressure: cpuPressure(cpuUsage), memoryUsage, memoryPressure: memoryPressure(memoryUsage) };
}

/** What was spent when a node has measured the same for some more seconds. */
export function spentAfter(spent: SpentTime, seconds: number, cpuCores: number, measures: Measures): SpentTime {
  const busy = Math.min(1, measures.cpuUsage) * cpuCores * seconds;
  return {
    cpuUser: spent.cpuUser + busy,
    cpuIdle: spent.cpuIdle + cpuCores * seconds - busy,
    cpuWaiting: spent.cpuWaiting + measures.cpuPressure * seconds,
    memoryWaiting: spent.memoryWaiting + measures.memoryPressure * seconds,
  };
}
