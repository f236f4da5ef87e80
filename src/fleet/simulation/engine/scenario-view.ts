import type { Metric } from './scenario-spec.ts';

/** A node as it is measured now. */
export interface ViewedNode {
  readonly name: string;
  /** Whether it can run machines. */
  readonly up: boolean;
  readonly cpuUsage: number;
  readonly cpuPressure: number;
  readonly memoryUsage: number;
  readonly memoryPressure: number;
  readonly vmCount: number;
}

/** What a course may know of the world; worked out only when it asks. */
export interface ScenarioView {
  nodes(): readonly ViewedNode[];
  /** The node of a machine; undefined where it has none. */
  nodeOf(vm: string): string | undefined;
  vmsOn(node: string): readonly string[];
  /** Machines that wait for a node. */
  pending(): number;
}

/** Whether a node is one that is named, or of a group that is. */
export function isAmong(node: string, named: readonly string[]): boolean {
  return named.some(
    (name) => node === name || (node.startsWith(`${name}-`) && /^[1-9]\d*$/.test(node.slice(name.length + 1))),
  );
}

export function measureOf(node: ViewedNode, metric: Exclude<Metric, 'pendingVMs'>): number {
  return node[metric];
}
