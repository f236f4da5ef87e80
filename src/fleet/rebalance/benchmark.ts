import type { Random } from '#platform/base/random';
import type { FleetModel } from './fleet-model.ts';
import { type Bounds, type Method, type RebalanceRun, rebalance, type Spread } from './rebalancing.ts';

export interface BenchmarkResult extends RebalanceRun {
  readonly method: Method;
  /** 1 is best; equals share a rank, and as many ranks after it are left out. */
  readonly rank: number;
}

/**
 * Tries every method on the same fleet and ranks them: those that came to rest first, then by how even the nodes are,
 * then by how little was moved, then by how soon. Each draws from a stream of its own name, so that the others do not
 * matter to it.
 */
export function benchmark(
  fleet: FleetModel,
  methods: readonly Method[],
  bounds: Bounds,
  random: Random,
): BenchmarkResult[] {
  const runs = methods.map((method) => ({
    method,
    ...rebalance(fleet.clone(), method, bounds, random.fork(nameOf(method))),
  }));
  runs.sort((a, b) => byKeys(keysOf(a), keysOf(b)));
  const ranked: BenchmarkResult[] = [];
  for (const [at, run] of runs.entries()) {
    const before = ranked[at - 1];
    const tied = before !== undefined && byKeys(keysOf(before), keysOf(run)) === 0;
    ranked.push({ ...run, rank: tied ? before.rank : at + 1 });
  }
  return ranked;
}

/** Every combination of algorithms, planners and modes. */
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

/** How uneven a fleet is, in one figure. */
export function unevenness({ cpu, memory }: Spread): number {
  return (cpu + memory) / 2;
}

/** How even it got; differences that nobody would see in a table do not count. */
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
