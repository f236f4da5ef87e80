import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { ALGORITHMS } from './algorithms.ts';
import { benchmark, methodsOf, nameOf, unevenness } from './benchmark.ts';
import { MODES } from './buckets.ts';
import { FleetModel } from './fleet-model.ts';
import { generate } from './generate.ts';
import { DEFAULT_LIMITS } from './planner.ts';
import { DEFAULT_BUDGET, PLANNERS } from './planners.ts';
import { readScenarios } from './read-scenarios.ts';
import { fleetOf, type Scenario } from './scenario.ts';

const BOUNDS = { limits: DEFAULT_LIMITS, budget: DEFAULT_BUDGET, steps: 50 };
const mixed = () => {
  const { name, nodes } = generate({ load: 'mixed' }, seededRandom(1));
  return fleetOf(readScenarios({ [name]: nodes }).scenarios[0] as Scenario);
};

describe('the benchmark', () => {
  const fleet = mixed();
  const before = fleet.load();
  const methods = methodsOf(ALGORITHMS, PLANNERS, MODES);
  const results = benchmark(fleet, methods, BOUNDS, seededRandom(1));

  it('runs every method on the same fleet and does not modify it', () => {
    expect(results.map(({ method }) => nameOf(method)).sort()).toEqual(methods.map(nameOf).sort());
    expect(fleet.load()).toEqual(before);
    for (const { curve } of results) expect(curve[0]).toMatchObject({ cpu: results[0]?.curve[0]?.cpu });
  });

  it('gives a method the same result regardless of the others', () => {
    const [alone] = benchmark(
      mixed(),
      methodsOf(ALGORITHMS.slice(0, 1), PLANNERS.slice(0, 1), MODES.slice(0, 1)),
      BOUNDS,
      seededRandom(1),
    );
    const same = results.find(({ method }) => alone !== undefined && nameOf(method) === nameOf(alone.method));
    expect({ ...same, rank: 0 }).toEqual({ ...alone, rank: 0 });
  });

  it('ranks converged methods first, then by balance, with equal ranks for equal results', () => {
    let resting = true;
    results.forEach(({ rank, outcome }, at) => {
      expect(resting || outcome !== 'converged').toBe(true);
      resting = outcome === 'converged';
      expect(rank === at + 1 || rank === results[at - 1]?.rank).toBe(true);
    });
    const best = results
      .filter(({ outcome }) => outcome === 'converged')
      .map(({ curve }) => unevenness(curve.at(-1) ?? NONE));
    best.slice(1).forEach((each, at) => expect(each).toBeGreaterThan((best[at] ?? 0) - 1e-4));
    // The formulas of these two are the same, so that only randomness could distinguish them.
    const [a, b] = results.filter(
      ({ method }) =>
        /^(ideal-point-positive-distance|linear-amplified-ideal-point-k1)$/.test(method.algorithm.id) &&
        method.planner.id === 'best-fit' &&
        method.mode.id === 'Low',
    );
    expect(a?.rank).toBe(b?.rank);
  });

  it('counts VMs that return to an earlier node', () => {
    // One VM overloads either of two nodes, so that it moves back and forth.
    const node = (name: string) => ({ name, cpu: 1, memory: 1 });
    const fleet = FleetModel.of([node('a'), node('b')], [{ id: 'hot', cpu: 0.8, memory: 0.1, node: 0 }]);
    const methods = methodsOf(ALGORITHMS.slice(0, 1), PLANNERS.slice(0, 1), MODES.slice(0, 1));
    const [result] = benchmark(fleet, methods, { ...BOUNDS, steps: 5 }, seededRandom(1));
    expect(result).toMatchObject({ outcome: 'capped', steps: 5, moves: 5, returns: 4 });
  });
});

const NONE = { cpu: 0, memory: 0, over: 0 };

it('the unevenness of a fleet is the mean of CPU and memory', () => {
  expect(unevenness({ cpu: 0.2, memory: 0.4 } as Parameters<typeof unevenness>[0])).toBeCloseTo(0.3, 12);
});
