/** Weighted scores by node and plugin. */
export type Scores = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Decision of a scheduler about a pod. */
export type Decision = Placement | Refusal;

/** One of these nodes, which have the same score. There are no scores without a choice. */
export interface Placement {
  /** The node among them that follows from the search order. */
  readonly chosen: string;
  readonly nodes: readonly string[];
  readonly scores: Scores;
}

export interface Refusal {
  readonly message: string;
  /** Alternatives for preemption. */
  readonly evictions: readonly Eviction[];
}

export interface Eviction {
  readonly node: string;
  /** Sorted names of pods. */
  readonly victims: readonly string[];
}
