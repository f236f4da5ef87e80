import { deviation, mean } from '#fleet/rebalance/load';
import type { ViewedNode } from '../engine/scenario-view.ts';

/** State of the cluster at one moment. Times are seconds from the start, in simulated time. */
export interface Sample {
  readonly t: number;
  readonly nodes_up: number;
  readonly vms: number;
  readonly running: number;
  readonly pending: number;
  readonly cpu_mean: number;
  readonly cpu_max: number;
  readonly cpu_sigma: number;
  readonly memory_mean: number;
  readonly memory_max: number;
  readonly memory_sigma: number;
  /** Highest pressure of any node. */
  readonly cpu_pressure_max: number;
  readonly memory_pressure_max: number;
  readonly moving: number;
  readonly migrations: number;
  readonly tasks: number;
}

export type Counts = Pick<Sample, 'vms' | 'running' | 'pending' | 'moving' | 'migrations' | 'tasks'>;

/** Returns the sample of a moment. Nodes that are down have no metrics, and would make the others look idle. */
export function sampleOf(t: number, nodes: readonly ViewedNode[], counts: Counts): Sample {
  const up = nodes.filter((node) => node.up);
  const of = (metric: 'cpuUsage' | 'memoryUsage') => Float64Array.from(up, (node) => node[metric]);
  const max = (metric: 'cpuUsage' | 'memoryUsage' | 'cpuPressure' | 'memoryPressure') =>
    up.reduce((found, node) => Math.max(found, node[metric]), 0);
  const [cpu, memory] = [of('cpuUsage'), of('memoryUsage')];
  const { vms, running, pending, moving, migrations, tasks } = counts;
  return {
    t,
    nodes_up: up.length,
    vms,
    running,
    pending,
    cpu_mean: roundTo6(mean(cpu)),
    cpu_max: roundTo6(max('cpuUsage')),
    cpu_sigma: roundTo6(deviation(cpu)),
    memory_mean: roundTo6(mean(memory)),
    memory_max: roundTo6(max('memoryUsage')),
    memory_sigma: roundTo6(deviation(memory)),
    cpu_pressure_max: roundTo6(max('cpuPressure')),
    memory_pressure_max: roundTo6(max('memoryPressure')),
    moving,
    migrations,
    tasks,
  };
}

/** State of a node at one moment. */
export interface NodeSample {
  readonly t: number;
  readonly node: string;
  readonly up: boolean;
  readonly cpu_usage: number;
  readonly cpu_pressure: number;
  readonly memory_usage: number;
  readonly memory_pressure: number;
  readonly vms: number;
}

export function nodeSampleOf(t: number, node: ViewedNode): NodeSample {
  return {
    t,
    node: node.name,
    up: node.up,
    cpu_usage: roundTo6(node.cpuUsage),
    cpu_pressure: roundTo6(node.cpuPressure),
    memory_usage: roundTo6(node.memoryUsage),
    memory_pressure: roundTo6(node.memoryPressure),
    vms: node.vmCount,
  };
}

/** Rounds to six digits, since the last digits of sums depend on the order of addition. */
export const roundTo6 = (value: number): number => Math.round(value * 1e6) / 1e6;
