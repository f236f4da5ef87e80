import type { Random } from '#platform/base/random';
import type { Algorithm } from './algorithms.ts';
import { type Classification, classify, type Mode } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import { deviation, type Load } from './load.ts';
import type { Limits, Planner } from './planner.ts';

/** Method to rebalance: the algorithm that finds overload, and the planner that resolves it. */
export interface Method {
  readonly algorithm: Algorithm;
  readonly planner: Planner;
  readonly mode: Mode;
}

export interface Bounds {
  readonly limits: Limits;
  /** Maximum number of steps. */
  readonly steps: number;
  /** Number of plans that a search may evaluate in a step. */
  readonly budget: number;
  /** Cost of moves, as in PlannerInput. Defaults to 0. */
  readonly moveCost?: number;
}

/** Evenness of the load on the nodes. */
export interface Spread {
  readonly cpu: number;
  readonly memory: number;
  /** Number of nodes that the algorithm considers over-utilized. */
  readonly over: number;
}

/** Outcome: nothing is over-utilized, the planner finds nothing, or the steps are used up. */
export type RebalanceOutcome = 'converged' | 'stalled' | 'capped';

export interface RebalanceRun {
  readonly outcome: RebalanceOutcome;
  readonly steps: number;
  readonly moves: number;
  /** Number of moves back to a node that the VM had left. */
  readonly returns: number;
  /** Spread before the first step and after each. */
  readonly curve: readonly Spread[];
}

/** Plans one step without changing the fleet. */
export function planStep(
  fleet: FleetModel,
  method: Method,
  bounds: Bounds,
  random: Random,
  load = fleet.load(),
): RebalanceStep {
  const { algorithm, planner, mode } = method;
  const verdict = classify(algorithm.score(load), mode);
  if (verdict.over.length === 0) return { verdict, moves: [] };
  const { limits, budget, moveCost = 0 } = bounds;
  const input = { verdict, score: algorithm.score, mode, limits, random, budget, moveCost };
  const moves = planner.plan(fleet.clone(), input);
  return { verdict, moves };
}

export interface RebalanceStep {
  readonly verdict: Classification;
  readonly moves: readonly Move[];
}

/** Takes steps until nothing is over-utilized, nothing can be done, or the steps are used up. The fleet is modified. */
export function rebalance(fleet: FleetModel, method: Method, bounds: Bounds, random: Random): RebalanceRun {
  const curve: Spread[] = [];
  const left = new Set<number>();
  let [moves, returns] = [0, 0];
  for (let steps = 0; ; steps++) {
    const load = fleet.load();
    const step = planStep(fleet, method, bounds, random, load);
    curve.push(spreadOf(load, step.verdict));
    const outcome = outcomeOf(step, steps, bounds);
    if (outcome !== undefined) return { outcome, steps, moves, returns, curve };
    for (const { vm, from, to } of step.moves) {
      fleet.move(vm, to);
      moves++;
      if (left.has(vm * fleet.nodes.length + to)) returns++;
      left.add(vm * fleet.nodes.length + from);
    }
  }
}

function outcomeOf({ verdict, moves }: RebalanceStep, steps: number, bounds: Bounds): RebalanceOutcome | undefined {
  if (verdict.over.length === 0) return 'converged';
  if (steps >= bounds.steps) return 'capped';
  return moves.length === 0 ? 'stalled' : undefined;
}

/** Returns the evenness of a load and the number of over-utilized nodes. */
export function spreadOf(load: Load, { over }: Classification): Spread {
  return { cpu: deviation(load.cpuUsage), memory: deviation(load.memoryUsage), over: over.length };
}
