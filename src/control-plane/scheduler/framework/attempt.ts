import type { PodInfo } from '../pod/pod-info.ts';
import type { NodeOrder } from '../snapshot/node-tree.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { FilterStatus } from './filter.ts';
import type { FilterCycle } from './filter-cycle.ts';
import type { WeighedScore } from './profile.ts';

/**
 * One try to place a pod, with all that was found out. Its arrays are used again for the next try: whoever wants to
 * keep something copies it.
 */
export interface Attempt {
  readonly pod: PodInfo;
  readonly order: NodeOrder;
  /** Nodes that suit, by slot: the first `feasibleCount`. */
  readonly feasible: Int32Array;
  readonly feasibleCount: number;
  /** Nodes that do not suit, by slot, with the reason at the same place: the first `refusedCount`. */
  readonly refused: Int32Array;
  readonly refusals: readonly FilterStatus[];
  readonly refusedCount: number;
  /** Scores that had something to say, none where only one node suits. */
  readonly scored: readonly ScoredPlugin[];
  readonly totals: Float64Array;
  /** The slot of the node that was chosen; undefined where there is none. */
  readonly chosen: number | undefined;
  /** Where none was chosen. */
  readonly diagnosis: Diagnosis | undefined;
  readonly filters: FilterCycle;
}

/** What one score plugin said, in the order of the feasible nodes. */
export interface ScoredPlugin {
  readonly plugin: WeighedScore;
  readonly raw: Float64Array;
  /** 0..100, before the weight. */
  readonly normalised: Float64Array;
}
