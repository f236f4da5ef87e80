import type { Random } from '#platform/base/random';
import type { Score } from './algorithms.ts';
import type { Classification, Mode } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';

/** Limits on concurrent moves. */
export interface Limits {
  /** Maximum number of VMs that leave one node in a step. */
  readonly perNode: number;
  /** Maximum number of VMs that move in a step. */
  readonly perStep: number;
}

export const DEFAULT_LIMITS: Limits = { perNode: 2, perStep: 5 };

/** Input of a planner beside the fleet. */
export interface PlannerInput {
  readonly verdict: Classification;
  readonly score: Score;
  readonly mode: Mode;
  readonly limits: Limits;
  readonly random: Random;
  /**
   * Number of plans that a search may evaluate. It counts steps and not time, so that the same search gives the same
   * result.
   */
  readonly budget: number;
  /**
   * Cost of copying the whole memory of a node, in the unit of the balance that a move gains. A VM costs its share of
   * the memory, and moves only if the nodes become more even by more than that.
   */
  readonly moveCost: number;
}

/**
 * Plans the moves of one step. A plan respects the limits, takes VMs from over-utilized nodes only, moves none twice,
 * and never exceeds the memory of a destination in the order of the moves. An empty plan means that the planner finds
 * nothing to do, now or later; it may try moves on the given fleet.
 */
export interface Planner {
  readonly id: string;
  readonly plan: (fleet: FleetModel, situation: PlannerInput) => readonly Move[];
}

/**
 * Takes moves from the over-utilized nodes in turn while `next` finds one and the limits allow it. Over-utilized nodes
 * are no destinations, so that no VM moves twice.
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
