import { bestFitPlanner, pressurePlanner } from './descent-planner.ts';
import { fewestMovesPlanner } from './fewest-moves-planner.ts';
import type { Planner } from './planner.ts';
import { randomPlanner } from './random-planner.ts';

export const PLANNERS: readonly Planner[] = [randomPlanner, bestFitPlanner, fewestMovesPlanner, pressurePlanner];

export const DEFAULT_PLANNER = 'best-fit';
/** Default number of plans that a search evaluates in a step: enough for a dozen nodes, and a millisecond at most. */
export const DEFAULT_BUDGET = 60;
/** Default cost of moves in a live cluster. It prevents moves that hardly make a difference. */
export const DEFAULT_MOVE_COST = 0.1;
