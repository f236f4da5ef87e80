import type { Random } from '#platform/base/random';
import type { Score } from './algorithms.ts';
import type { Classification, Mode } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';

/** How much may be under way at once. */
export interface Limits {
  /** Machines that leave one node in a step. */
  readonly perNode: number;
  /** Machines that move in a step. */
  readonly perStep: number;
}

export const DEFAULT_LIMITS: Limits = { perNode: 2, perStep: 5 };

/** What a planner knows besides the fleet. */
export interface PlannerInput {
  readonly verdict: Classification;
  readonly score: Score;
  readonly mode: Mode;
  readonly limits: Limits;
  readonly random: Random;
  /** How many plans may be judged in search of a better one: steps and not time, so that the same search ends alike. */
  readonly budget: number;
}

/**
 * Says which machines to move in one step. Every plan keeps to the limits, takes machines from over-utilised nodes
 * only, moves none twice, and leaves no destination with more memory in use than it has, in the order of the moves.
 * An empty plan means that this planner sees nothing to do, now and whenever it is asked again. The fleet that is
 * handed in is the planner's own: it may try on it.
 */
export interface Planner {
  readonly id: string;
  readonly plan: (fleet: FleetModel, situation: PlannerInput) => readonly Move[];
}

/**
 * Takes moves from the over-utilised nodes in turn, as long as `next` finds one and the limits allow it. No over-utilised
 * node is a destination, so that what has moved is not among what can be.
 */
export function pickMoves(
  fleet: FleetModel,
  { verdict, limits }: Pick<PlannerInput, 'verdict' | 'limits'>,
  next: (source: number) => Move | undefined,
): readonly Move[] {
  const moves: Move[] = [];
  for (const source of verdict.over) {
    for (let left = 0; left < limits.perNode && moves.length < limits.perStep; left++) {
      const move = next(source);
      if (move === undefined) break;
      fleet.move(move.vm, move.to);
      moves.push(move);
    }
  }
  return moves;
}
