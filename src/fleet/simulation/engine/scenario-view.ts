import type { Metric } from './scenario-spec.ts';

/** Current metrics of a node. */
export interface ViewedNode {
  readonly name: string;
  /** Set if the node can run VMs. */
  readonly up: boolean;
  readonly cpuUsage: number;
  readonly cpuPressure: number;
  readonly memoryUsage: number;
  readonly memoryPressure: number;
  readonly vmCount: number;
}

/** View of the cluster for an engine, computed on demand. */
export interface ScenarioView {
  nodes(): readonly ViewedNode[];
  /** Returns the node of a VM, or undefined if it has none. */
  nodeOf(vm: string): string | undefined;
  vmsOn(node: string): readonly string[];
  /** Returns the number of VMs that wait for a node. */
  pending(): number;
}

/** Reports whether a node is named, or belongs to a named group. */
export function isAmong(node: string, named: readonly string[]): boolean {
  return named.some(
    (name) => node === name || (node.startsWith(`${name}-`) && /^[1-9]\d*$/.test(node.slice(name.length + 1))),
  );
}

export function measureOf(node: ViewedNode, metric: Exclude<Metric, 'pendingVMs'>): number {
  return node[metric];
}
