/**
 * Scheduling attempts that a scheduler has recorded for a pod, as returned by scheduling.vimana.io and the HTTP
 * endpoint.
 */
export interface PodExplanation {
  readonly apiVersion: 'scheduling.vimana.io/v1alpha1';
  readonly kind: 'PodExplanation';
  readonly metadata: { readonly name: string; readonly namespace: string };
  /** Attempts, oldest first. Only the latest are retained. */
  readonly attempts: readonly Explanation[];
}

/** Explanation of the result of a scheduling attempt, as plain JSON. */
export interface Explanation {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly scheduler: string;
  readonly time: string;
  /** Number of the attempt for this pod, starting at 1. */
  readonly attempt: number;
  /** Node that was selected. */
  readonly node?: string;
  /** Message for the user if no node was selected. */
  readonly message?: string;
  /** Node that is being freed for the pod. */
  readonly nominatedNode?: string;
  /** Number of all nodes in the cluster. Nodes that are not listed were not evaluated. */
  readonly nodesInCluster: number;
  /** Feasible nodes, best first, followed by the infeasible ones. */
  readonly nodes: readonly NodeExplanation[];
}

export interface NodeExplanation {
  readonly name: string;
  readonly suits: boolean;
  /** Plugin that rejected an infeasible node. */
  readonly refusedBy?: string;
  readonly reasons?: readonly string[];
  /** Total score of a feasible node. There are no scores if it was the only one. */
  readonly total?: number;
  readonly scores?: Readonly<Record<string, ScoreExplanation>>;
}

export interface ScoreExplanation {
  readonly raw: number;
  /** Score in the range 0..100. */
  readonly normalised: number;
  readonly weight: number;
  /** Contribution to the total. */
  readonly weighted: number;
}
