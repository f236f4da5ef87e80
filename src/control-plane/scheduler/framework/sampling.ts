/** Minimum number of feasible nodes to find. Smaller clusters are checked completely. */
const MIN_NODES = 100;
const MIN_PERCENTAGE = 5;

/** Returns how many feasible nodes are enough. With 0 percent the number follows from the cluster size. */
export function numFeasibleNodesToFind(nodes: number, percentage = 0): number {
  if (nodes < MIN_NODES) return nodes;
  const adaptive = Math.max(MIN_PERCENTAGE, 50 - Math.trunc(nodes / 125));
  return Math.max(MIN_NODES, Math.trunc((nodes * (percentage === 0 ? adaptive : percentage)) / 100));
}

/** Start of the search, which rotates so that all nodes are checked over time. */
export class Rotation {
  #start = 0;

  get start(): number {
    return this.#start;
  }

  advance(by: number, nodes: number): void {
    this.#start = nodes === 0 ? 0 : (this.#start + by) % nodes;
  }
}
