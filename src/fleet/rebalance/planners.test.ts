import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { ALGORITHMS } from './algorithms.ts';
import { MODES } from './buckets.ts';
import { fleets } from './fleet-model.fixture.ts';
import { FleetModel } from './fleet-model.ts';
import { DEFAULT_BUDGET, PLANNERS } from './planners.ts';
import { type Method, planStep, rebalance } from './rebalancing.ts';

const limits = fc.record({ perNode: fc.integer({ min: 1, max: 3 }), perStep: fc.integer({ min: 1, max: 6 }) });
const budget = fc.integer({ min: 0, max: DEFAULT_BUDGET });
const algorithm = fc.constantFrom(...ALGORITHMS);
const mode = fc.constantFrom(...MODES);
const seed = fc.nat();

describe.each(PLANNERS.map((planner) => [planner.id, planner] as const))('the planner %s', (_id, planner) => {
  it('respects the limits, moves only from over-utilized nodes to others, none twice, and exceeds no memory', () => {
    fc.assert(
      fc.property(fleets(), algorithm, mode, limits, budget, seed, (fleet, algorithm, mode, limits, budget, seed) => {
        const method: Method = { algorithm, planner, mode };
        const { verdict, moves } = planStep(fleet, method, { limits, budget, steps: 1 }, seededRandom(seed));
        expect(moves.length).toBeLessThanOrEqual(limits.perStep);
        expect(new Set(moves.map(({ vm }) => vm)).size).toBe(moves.length);
        const leaving = Map.groupBy(moves, ({ from }) => from);
        for (const there of leaving.values()) expect(there.length).toBeLessThanOrEqual(limits.perNode);
        const memory = fleet.nodes.map((_, node) => memoryOn(fleet, node));
        for (const { vm, from, to } of moves) {
          expect(fleet.homeOf(vm)).toBe(from);
          expect(verdict.buckets[from]).toBe('over');
          expect(verdict.buckets[to]).not.toBe('over');
          memory[to] = (memory[to] ?? 0) + (fleet.vms[vm]?.memory ?? 0);
          expect(memory[to]).toBeLessThanOrEqual(fleet.nodes[to]?.memory ?? 0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('terminates, keeps every VM, and is reproducible with the same seed', () => {
    fc.assert(
      fc.property(fleets(), algorithm, mode, limits, seed, (fleet, algorithm, mode, limits, seed) => {
        const bounds = { limits, budget: DEFAULT_BUDGET, steps: 30 };
        const [one, two] = [fleet.clone(), fleet.clone()];
        const run = rebalance(one, { algorithm, planner, mode }, bounds, seededRandom(seed));
        expect(rebalance(two, { algorithm, planner, mode }, bounds, seededRandom(seed))).toEqual(run);
        expect(run.steps).toBeLessThanOrEqual(30);
        expect(run.curve).toHaveLength(run.steps + 1);
        expect(run.moves).toBeLessThanOrEqual(run.steps * limits.perStep);
        const everywhere = one.nodes.flatMap((_, node) => one.on(node)).sort((a, b) => a - b);
        expect(everywhere).toEqual(fleet.vms.map((_, vm) => vm));
        one.nodes.forEach(({ memory }, node) => {
          expect(memoryOn(one, node)).toBeLessThanOrEqual(memory);
          for (const vm of one.on(node)) expect(one.homeOf(vm)).toBe(node);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('stops at once if no node has memory for any VM', () => {
    const node = (name: string) => ({ name, cpu: 1, memory: 1 });
    const full = FleetModel.of(
      [node('a'), node('b')],
      [
        { id: 'busy', cpu: 1, memory: 1, node: 0 },
        { id: 'idle', cpu: 0, memory: 1, node: 1 },
      ],
    );
    expect(rebalance(full, method('max-metric', 'AsymmetricLow'), BOUNDS, seededRandom(1))).toMatchObject({
      outcome: 'converged',
    });
    expect(rebalance(full, method('cpu-focused', 'AsymmetricLow'), BOUNDS, seededRandom(1))).toMatchObject({
      outcome: 'stalled',
      steps: 0,
      moves: 0,
    });
  });

  it('also moves VMs to the first node', () => {
    const nodes = ['a', 'b'].map((name) => ({ name, cpu: 1, memory: 1 }));
    const vms = Array.from({ length: 8 }, (_, i) => ({ id: `vm-${i}`, cpu: 0.1, memory: 0.05, node: 1 }));
    const run = rebalance(FleetModel.of(nodes, vms), method('cpu-focused', 'AsymmetricLow'), BOUNDS, seededRandom(1));
    expect(run.outcome).toBe('converged');
    expect(run.moves).toBeGreaterThan(0);
  });

  it('relieves a single over-utilized node', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => ({ name, cpu: 1, memory: 1 }));
    const vms = Array.from({ length: 8 }, (_, i) => ({ id: `vm-${i}`, cpu: 0.1, memory: 0.05, node: 0 }));
    const fleet = FleetModel.of(nodes, vms);
    const run = rebalance(fleet, method('cpu-focused', 'AsymmetricLow'), BOUNDS, seededRandom(1));
    expect(run.outcome).toBe('converged');
    expect(run.returns).toBe(0);
    expect(run.curve.at(-1)?.cpu).toBeLessThan((run.curve[0]?.cpu ?? 0) / 3);
  });

  const method = (algorithm: string, mode: string): Method => ({
    algorithm: ALGORITHMS.find(({ id }) => id === algorithm) as Method['algorithm'],
    planner,
    mode: MODES.find(({ id }) => id === mode) as Method['mode'],
  });
});

const BOUNDS = { limits: { perNode: 2, perStep: 5 }, budget: DEFAULT_BUDGET, steps: 50 };

/** Sums the memory again, so that errors of the incremental sums are found. */
function memoryOn(fleet: FleetModel, node: number): number {
  return fleet.on(node).reduce((sum, vm) => sum + (fleet.vms[vm]?.memory ?? 0), 0);
}
