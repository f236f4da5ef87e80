import type { PodInfo } from '../pod/pod-info.ts';
import type { NodeOrder } from '../snapshot/node-tree.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { FilterStatus } from './filter.ts';
import type { FilterCycle } from './filter-cycle.ts';
import type { WeighedScore } from './profile.ts';

/**
 * One attempt to schedule a pod, with all results. Its arrays are reused by the next attempt, so callers copy what they
 * retain.
 */
export interface Attempt {
  readonly pod: PodInfo;
  readonly order: NodeOrder;
  /** Slots of the feasible nodes, of which the first `feasibleCount` are valid. */
  readonly feasible: Int32Array;
  readonly feasibleCount: number;
  /** Slots of the rejected nodes, with the reason at the same index. The first `refusedCount` are valid. */
  readonly refused: Int32Array;
  readonly refusals: readonly FilterStatus[];
  readonly refusedCount: number;
  /** Plugins that scored the nodes, none if only one node is feasible. */
  readonly scored: readonly ScoredPlugin[];
  readonly totals: Float64Array;
  /** Slot of the chosen node, undefined if there is none. */
  readonly chosen: number | undefined;
  /** Set if no node was chosen. */
  readonly diagnosis: Diagnosis | undefined;
  readonly filters: FilterCycle;
}

/** Scores of one plugin, in the order of the feasible nodes. */
export interface ScoredPlugin {
  readonly plugin: WeighedScore;
  readonly raw: Float64Array;
  /** Scores of 0..100, before the weight. */
  readonly normalised: Float64Array;
}
