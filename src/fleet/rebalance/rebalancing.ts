import type { Random } from '#platform/base/random';
import type { Algorithm } from './algorithms.ts';
import { type Classification, classify, type Mode } from './buckets.ts';
import type { FleetModel, Move } from './fleet-model.ts';
import { deviation, type Load } from './load.ts';
import type { Limits, Planner } from './planner.ts';

/** A way to rebalance: what counts as too much, and what is done about it. */
export interface Method {
  readonly algorithm: Algorithm;
  readonly planner: Planner;
  readonly mode: Mode;
}

export interface Bounds {
  readonly limits: Limits;
  /** Steps after which it is enough. */
  readonly steps: number;
  /** Plans that a search may judge in a step. */
  readonly budget: number;
}

/** How evenly load lies on the nodes. */
export interface Spread {
  readonly cpu: number;
  readonly memory: number;
  /** Nodes that the algorithm calls over-utilised. */
  readonly over: number;
}

/** How it ended: nothing over-utilised, nothing that the planner could do, or no end within the steps allowed. */
export type RebalanceOutcome = 'converged' | 'stalled' | 'capped';

export interface RebalanceRun {
  readonly outcome: RebalanceOutcome;
  readonly steps: number;
  readonly moves: number;
  /** Moves of machines back to a node that they had left. */
  readonly returns: number;
  /** Before the first step and after each. */
  readonly curve: readonly Spread[];
}

/** What one step would do; the fleet stays as it is. */
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
  const { limits, budget } = bounds;
  const moves = planner.plan(fleet.clone(), { verdict, score: algorithm.score, mode, limits, random, budget });
  return { verdict, moves };
}

export interface RebalanceStep {
  readonly verdict: Classification;
  readonly moves: readonly Move[];
}

/** Takes steps until there is nothing to do, nothing that can be done, or enough were taken. The fleet is changed. */
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

/** How evenly a load lies on the nodes, and how many of them an algorithm calls over-utilised. */
export function spreadOf(load: Load, { over }: Classification): Spread {
  return { cpu: deviation(load.cpuUsage), memory: deviation(load.memoryUsage), over: over.length };
}
