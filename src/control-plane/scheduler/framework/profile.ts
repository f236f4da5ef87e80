import type { Filter } from './filter.ts';
import type { Score } from './score.ts';

export interface WeighedScore {
  readonly score: Score;
  readonly weight: number;
}

/** Settings for scheduling the pods that name a scheduler. */
export interface Profile {
  readonly schedulerName: string;
  /** Filters in the order in which they run: the first that rejects a node gives the reason. */
  readonly filters: readonly Filter[];
  readonly scores: readonly WeighedScore[];
  /** Percentage of nodes that must be found feasible before the search stops, 0 to derive it from the cluster size. */
  readonly percentageOfNodesToScore: number;
  /** Arguments of preemption, undefined to disable it. */
  readonly preemption: PreemptionArgs | undefined;
}

export interface PreemptionArgs {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}
