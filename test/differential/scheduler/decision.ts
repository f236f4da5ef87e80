/** What a plugin adds to the total of a node, by the name of the node and then of the plugin. */
export type Scores = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** What a scheduler decided about a pod. */
export type Decision = Placement | Refusal;

/** One of the nodes, all equally good; no scores where there was no choice. */
export interface Placement {
  /** The one of them that follows from the order in which they are looked at. */
  readonly chosen: string;
  readonly nodes: readonly string[];
  readonly scores: Scores;
}

export interface Refusal {
  readonly message: string;
  /** What may be done to make room: any of these. */
  readonly evictions: readonly Eviction[];
}

export interface Eviction {
  readonly node: string;
  /** Names of pods, sorted. */
  readonly victims: readonly string[];
}
