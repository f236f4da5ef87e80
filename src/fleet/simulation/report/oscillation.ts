/** Migration that oscillation is computed from. Times are in seconds. */
export interface CompletedMove {
  readonly vm: string;
  readonly from: string;
  readonly to: string;
  readonly at: number;
}

/** VM that returned to a node that it had left. */
export interface Oscillation {
  readonly vm: string;
  readonly moves: number;
  /** Number of moves to a node that it had left before. */
  readonly returns: number;
  /** Shortest time from leaving a node to being there again, in seconds. */
  readonly soonest: number;
}

/** Returns the VMs that oscillated, in order of their number of returns. */
export function oscillations(moves: readonly CompletedMove[]): readonly Oscillation[] {
  const trails = new Map<
    string,
    { readonly left: Map<string, number>; moves: number; returns: number; soonest: number }
  >();
  for (const { vm, from, to, at } of moves) {
    const trail = trails.get(vm) ?? { left: new Map(), moves: 0, returns: 0, soonest: Number.POSITIVE_INFINITY };
    trails.set(vm, trail);
    trail.moves++;
    const left = trail.left.get(to);
    if (left !== undefined) {
      trail.returns++;
      trail.soonest = Math.min(trail.soonest, at - left);
    }
    trail.left.set(from, at);
  }
  return [...trails]
    .filter(([, { returns }]) => returns > 0)
    .map(([vm, { moves: count, returns, soonest }]) => ({ vm, moves: count, returns, soonest }))
    .sort((a, b) => b.returns - a.returns || b.moves - a.moves || (a.vm < b.vm ? -1 : 1));
}
