import type { PodInfo } from '../pod/pod-info.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ScoreName } from './plugin-name.ts';

export const MAX_SCORE = 100;

/** Nodes that suit, by slot. Only the first `count` of the array mean something. */
export interface Feasible {
  readonly slots: Int32Array;
  readonly count: number;
}

/** What a score has found out about a pod before it looks at single nodes. */
export interface PreScoreState {
  /** Writes a whole number for each feasible node, in their order. */
  raw(scores: Float64Array): void;
  /** Brings them to 0..100 in place; absent where they are that already. */
  normalize?(scores: Float64Array): void;
}

/** Says how well nodes that suit a pod would do. */
export interface Score {
  readonly name: ScoreName;
  /** undefined where all nodes are the same to the pod: then it adds nothing. */
  prepare(pod: PodInfo, cluster: ClusterView, feasible: Feasible): PreScoreState | undefined;
}

/** Scales scores so that the largest is 100; turned around, the largest becomes 0. */
export function scaleToLargest(scores: Float64Array, count: number, reverse = false): void {
  let largest = 0;
  for (let i = 0; i < count; i++) largest = Math.max(largest, scores[i] ?? 0);
  for (let i = 0; i < count; i++) {
    const scaled = largest === 0 ? 0 : Math.floor((MAX_SCORE * (scores[i] ?? 0)) / largest);
    scores[i] = reverse ? MAX_SCORE - scaled : scaled;
  }
}
