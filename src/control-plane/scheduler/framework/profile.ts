import type { Filter } from './filter.ts';
import type { Score } from './score.ts';

export interface WeighedScore {
  readonly score: Score;
  readonly weight: number;
}

/** How pods that name a scheduler are placed. */
export interface Profile {
  readonly schedulerName: string;
  /** In the order in which they are asked: the first that refuses a node says why. */
  readonly filters: readonly Filter[];
  readonly scores: readonly WeighedScore[];
  /** Of the nodes that suit, how many are enough; 0: as the size of the cluster says. */
  readonly percentageOfNodesToScore: number;
  /** Whether pods are taken off nodes for others of higher priority. */
  readonly preemption: PreemptionArgs | undefined;
}

export interface PreemptionArgs {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}
