import type { Random } from '#platform/base/random';
import type { FleetModel } from './fleet-model.ts';
import { type Bounds, type Method, type RebalanceRun, rebalance, type Spread } from './rebalancing.ts';

export interface BenchmarkResult extends RebalanceRun {
  readonly method: Method;
  /** Rank from 1, the best. Equal results share a rank, and as many ranks after it are skipped. */
  readonly rank: number;
}

/**
 * Runs every method on the same fleet and ranks them: converged ones first, then by evenness, by number of moves, and
 * by number of steps. Each draws from a random stream of its own name, so that it is independent of the others.
 */
export function benchmark(
  fleet: FleetModel,
  methods: readonly Method[],
  bounds: Bounds,
  random: Random,
  onMethod: (name: string, done: number) => void = () => {},
): BenchmarkResult[] {
  const runs = methods.map((method, done) => {
    onMethod(nameOf(method), done);
    return { method, ...rebalance(fleet.clone(), method, bounds, random.fork(nameOf(method))) };
  });
  runs.sort((a, b) => byKeys(keysOf(a), keysOf(b)));
  const ranked: BenchmarkResult[] = [];
  for (const [at, run] of runs.entries()) {
    const before = ranked[at - 1];
    const tied = before !== undefined && byKeys(keysOf(before), keysOf(run)) === 0;
    ranked.push({ ...run, rank: tied ? before.rank : at + 1 });
  }
  return ranked;
}

/** Returns every combination of algorithms, planners and modes. */
export function methodsOf(
  algorithms: readonly Method['algorithm'][],
  planners: readonly Method['planner'][],
  modes: readonly Method['mode'][],
): Method[] {
  return algorithms.flatMap((algorithm) =>
    planners.flatMap((planner) => modes.map((mode) => ({ algorithm, planner, mode }))),
  );
}

export function nameOf({ algorithm, planner, mode }: Method): string {
  return `${algorithm.id}/${planner.id}/${mode.id}`;
}

/** Returns the unevenness of a fleet as one figure. */
export function unevenness({ cpu, memory }: Spread): number {
  return (cpu + memory) / 2;
}

/** Returns the sort keys of a run. Differences that a table would not show do not count. */
function keysOf({ outcome, curve, moves, steps }: RebalanceRun): readonly number[] {
  const last = curve.at(-1);
  const uneven = last === undefined ? 0 : Math.round(unevenness(last) * 10_000);
  return [outcome === 'converged' ? 0 : 1, uneven, moves, steps];
}

function byKeys(a: readonly number[], b: readonly number[]): number {
  for (const [at, key] of a.entries()) {
    const difference = key - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
