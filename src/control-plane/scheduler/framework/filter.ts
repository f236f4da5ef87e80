import type { PodInfo } from '../pod/pod-info.ts';
import type { ClusterView } from './cluster-view.ts';
import type { FilterName } from './plugin-name.ts';

/**
 * Reason why a node is not feasible. The same object stands for the same reasons, so that nodes can be counted by it.
 */
export interface FilterStatus {
  readonly plugin: FilterName;
  readonly reasons: readonly string[];
  /** Reports whether preempting other pods of the node could help. */
  readonly preemptable: boolean;
}

/** State that a filter prepares for a pod before it checks single nodes. */
export interface PreFilterState {
  /** Returns undefined if the node is feasible. It runs for thousands of nodes and so avoids allocations. */
  check(slot: number): FilterStatus | undefined;
  /** Names of the only nodes that can be feasible, absent for any. */
  readonly only?: ReadonlySet<string>;
  /** Assumes temporarily that another pod is added to a node (1) or removed from it (-1). */
  supposed?(slot: number, other: PodInfo, by: 1 | -1): void;
}

/** Result for a pod that is feasible on no node. */
export interface NoNode {
  readonly refusal: FilterStatus;
}

/** Decides which nodes are feasible for a pod. */
export interface Filter {
  readonly name: FilterName;
  /** Returns undefined if the pod requests nothing that this filter checks. */
  prepare(pod: PodInfo, cluster: ClusterView): PreFilterState | NoNode | undefined;
}

export function filterStatus(plugin: FilterName, reason: string, preemptable: boolean): FilterStatus {
  return { plugin, reasons: [reason], preemptable };
}
