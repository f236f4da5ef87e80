import type { PodInfo } from '../pod/pod-info.ts';
import type { ClusterView } from './cluster-view.ts';
import type { FilterName } from './plugin-name.ts';

/** Why a node does not suit. The same object stands for the same reasons, so that nodes can be counted by it. */
export interface FilterStatus {
  readonly plugin: FilterName;
  readonly reasons: readonly string[];
  /** Whether taking other pods off the node could help. */
  readonly preemptable: boolean;
}

/** What a filter has found out about a pod before it looks at single nodes. */
export interface PreFilterState {
  /** undefined where the node suits. Called for thousands of nodes: it makes nothing that it need not. */
  check(slot: number): FilterStatus | undefined;
  /** The only nodes that can suit, by name; absent: any. */
  readonly only?: ReadonlySet<string>;
  /** Another pod comes to a node (1) or leaves it (-1) for the length of a question. */
  supposed?(slot: number, other: PodInfo, by: 1 | -1): void;
}

/** No node suits, whatever it has. */
export interface NoNode {
  readonly refusal: FilterStatus;
}

/** Decides which nodes suit a pod at all. */
export interface Filter {
  readonly name: FilterName;
  /** undefined where the pod asks for nothing that this filter looks at. */
  prepare(pod: PodInfo, cluster: ClusterView): PreFilterState | NoNode | undefined;
}

export function filterStatus(plugin: FilterName, reason: string, preemptable: boolean): FilterStatus {
  return { plugin, reasons: [reason], preemptable };
}
