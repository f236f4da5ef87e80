/** Fewer nodes than this are all looked at. */
const MIN_NODES = 100;
const MIN_PERCENTAGE = 5;

/** How many nodes that suit are enough; 0 percent means that it follows from the size of the cluster. */
export function numFeasibleNodesToFind(nodes: number, percentage = 0): number {
  if (nodes < MIN_NODES) return nodes;
  const adaptive = Math.max(MIN_PERCENTAGE, 50 - Math.trunc(nodes / 125));
  return Math.max(MIN_NODES, Math.trunc((nodes * (percentage === 0 ? adaptive : percentage)) / 100));
}

/** Where to begin looking, so that over time all nodes get their turn. */
export class Rotation {
  #start = 0;

  get start(): number {
    return this.#start;
  }

  advance(by: number, nodes: number): void {
    this.#start = nodes === 0 ? 0 : (this.#start + by) % nodes;
  }
}
