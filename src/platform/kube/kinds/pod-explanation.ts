/** What a scheduler remembers of a pod: what scheduling.vimana.io and the HTTP endpoint answer. */
export interface PodExplanation {
  readonly apiVersion: 'scheduling.vimana.io/v1alpha1';
  readonly kind: 'PodExplanation';
  readonly metadata: { readonly name: string; readonly namespace: string };
  /** The oldest first; only the latest are kept. */
  readonly attempts: readonly Explanation[];
}

/** Why a try to place a pod ended as it did, as plain JSON. */
export interface Explanation {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly scheduler: string;
  readonly time: string;
  /** Which try of the pod it was, from 1. */
  readonly attempt: number;
  /** The node that was chosen. */
  readonly node?: string;
  /** Where none was: what was told to the user. */
  readonly message?: string;
  /** The node that is being made free for the pod. */
  readonly nominatedNode?: string;
  /** All nodes of the cluster; those that are not listed were not looked at. */
  readonly nodesInCluster: number;
  /** The best first, then those that do not suit. */
  readonly nodes: readonly NodeExplanation[];
}

export interface NodeExplanation {
  readonly name: string;
  readonly suits: boolean;
  /** Where it does not suit: who says so and why. */
  readonly refusedBy?: string;
  readonly reasons?: readonly string[];
  /** Where it suits; no scores where it was the only one. */
  readonly total?: number;
  readonly scores?: Readonly<Record<string, ScoreExplanation>>;
}

export interface ScoreExplanation {
  readonly raw: number;
  /** 0..100 */
  readonly normalised: number;
  readonly weight: number;
  /** What it adds to the total. */
  readonly weighted: number;
}
