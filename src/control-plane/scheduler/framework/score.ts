import type { PodInfo } from '../pod/pod-info.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ScoreName } from './plugin-name.ts';

export const MAX_SCORE = 100;

/** Slots of the feasible nodes. Only the first `count` of the array are valid. */
export interface Feasible {
  readonly slots: Int32Array;
  readonly count: number;
}

/** State that a score prepares for a pod before it scores single nodes. */
export interface PreScoreState {
  /** Writes an integer score for each feasible node, in their order. */
  raw(scores: Float64Array): void;
  /** Scales the scores to 0..100 in place. Absent if they are in that range already. */
  normalize?(scores: Float64Array): void;
}

/** Scores the feasible nodes of a pod. */
export interface Score {
  readonly name: ScoreName;
  /** Returns undefined if the pod does not distinguish between nodes. The plugin then adds nothing. */
  prepare(pod: PodInfo, cluster: ClusterView, feasible: Feasible): PreScoreState | undefined;
}

/** Scales scores so that the largest is 100, or 0 if reversed. */
export function scaleToLargest(scores: Float64Array, count: number, reverse = false): void {
  let largest = 0;
  for (let i = 0; i < count; i++) largest = Math.max(largest, scores[i] ?? 0);
  for (let i = 0; i < count; i++) {
    const scaled = largest === 0 ? 0 : Math.floor((MAX_SCORE * (scores[i] ?? 0)) / largest);
    scores[i] = reverse ? MAX_SCORE - scaled : scaled;
  }
}
