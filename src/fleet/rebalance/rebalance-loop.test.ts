import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { ALGORITHMS, DEFAULT_ALGORITHM } from './algorithms.ts';
import { DEFAULT_MODE, MODES } from './buckets.ts';
import { generate } from './generate.ts';
import { type ObservedNode, type ObservedVm, observedFleet } from './observed-fleet.ts';
import { DEFAULT_LIMITS } from './planner.ts';
import { DEFAULT_PLANNER, PLANNERS } from './planners.ts';
import { cpuPressure, memoryPressure } from './pressure.ts';
import {
  decide,
  type LiveCluster,
  type LoopStep,
  type MadeMove,
  type NamedMove,
  runRebalanceLoop,
} from './rebalance-loop.ts';
import type { Method } from './rebalancing.ts';

const named = <T extends { readonly id: string }>(all: readonly T[], desired: string) =>
  all.find(({ id }) => id === desired) as T;
const METHOD: Method = {
  algorithm: named(ALGORITHMS, DEFAULT_ALGORITHM),
  planner: named(PLANNERS, DEFAULT_PLANNER),
  mode: named(MODES, DEFAULT_MODE),
};

/** Returns the node on which the scheduler places a moved VM. */
type Scheduler = (move: NamedMove) => string;

/** Restrictions of nodes and VMs, by name. */
interface Rules {
  readonly nodes?: Readonly<Record<string, Partial<ObservedNode>>>;
  readonly vms?: Readonly<Record<string, Partial<ObservedVm>>>;
}

/** Cluster with nodes of 16 CPUs whose ratios refer to 8 CPUs, unlike in any scenario file. */
class FakeCluster implements LiveCluster {
  readonly asked: NamedMove[][] = [];
  readonly #nodes: Map<string, { id: string; cpu: number; memory: number }[]>;
  readonly #place: Scheduler;
  readonly #moved = new Set<string>();
  readonly #rules: Rules;

  constructor(
    nodes: Readonly<Record<string, readonly (readonly [string, number])[]>>,
    place: Scheduler,
    rules: Rules = {},
  ) {
    this.#rules = rules;
    this.#nodes = new Map(
      Object.entries(nodes).map(([name, vms]) => [name, vms.map(([id, cpu]) => ({ id, cpu, memory: cpu / 2 }))]),
    );
    this.#place = place;
  }

  async observe(): Promise<readonly ObservedNode[]> {
    return [...this.#nodes].map(([name, vms]) => {
      const cpuUsage = vms.reduce((sum, { cpu }) => sum + cpu, 0) / 2;
      const memoryUsage = cpuUsage / 2;
      const pressures = { cpuPressure: cpuPressure(cpuUsage), memoryPressure: memoryPressure(memoryUsage) };
      const size = { name, cpuCores: 16, memoryBytes: 2 ** 36, cpuUsage, memoryUsage, ...pressures };
      const ruled = vms.map((vm) => ({
        ...vm,
        ...this.#rules.vms?.[vm.id],
        ...(this.#moved.has(vm.id) ? { secondsSinceMove: 10 } : {}),
      }));
      return { ...size, ...this.#rules.nodes?.[name], vms: ruled };
    });
  }

  async move(moves: readonly NamedMove[]): Promise<readonly MadeMove[]> {
    this.asked.push([...moves]);
    return moves.map((move) => {
      const to = this.#place(move);
      const from = this.#nodes.get(move.from_node) ?? [];
      const vm = from.find(({ id }) => id === move.vm_id);
      if (vm === undefined) throw new Error(`${move.vm_id} is not on ${move.from_node}`);
      const as_suggested = to === move.to_node;
      if (to === move.from_node) return { ...move, actual_node: to, success: false, as_suggested, error: 'not moved' };
      from.splice(from.indexOf(vm), 1);
      if (to === '') return { ...move, actual_node: '', success: false, as_suggested, error: 'no room' };
      this.#nodes.get(to)?.push(vm);
      this.#moved.add(move.vm_id);
      return { ...move, actual_node: to, success: true, as_suggested, error: null };
    });
  }
}

async function run(
  cluster: LiveCluster,
  steps = 20,
  signal = new AbortController().signal,
  { method = METHOD, cooldownMs = 0, moveCost = 0 } = {},
) {
  const seen: LoopStep[] = [];
  const boundsFor = () => ({ limits: DEFAULT_LIMITS, steps, budget: 60, moveCost });
  const done = await runRebalanceLoop({
    ...{ cluster, method, boundsFor, random: seededRandom(1), signal, cooldownMs },
    onStep: (step) => seen.push(step),
    onMoved: () => {},
  });
  return { ...done, seen };
}

const UNEVEN = {
  full: [
    ['a', 0.4],
    ['b', 0.5],
    ['c', 0.3],
    ['d', 0.5],
  ],
  idle: [['e', 0.1]],
  spare: [],
} as const;
const obeying: Scheduler = ({ to_node }) => to_node;

describe('the closed loop', () => {
  it('moves VMs until no node is over-utilized', async () => {
    const cluster = new FakeCluster(UNEVEN, obeying);
    const { outcome, steps, moved, asSuggested, retained, seen } = await run(cluster);
    expect({ outcome, moved, asSuggested, kept: retained }).toEqual({
      outcome: 'converged',
      moved: cluster.asked.flat().length,
      asSuggested: moved,
      kept: [],
    });
    expect(moved).toBeGreaterThan(0);
    expect(seen).toHaveLength(steps + 1);
    expect(seen[0]?.verdict.over).toEqual([0]);
    expect(seen.at(-1)).toMatchObject({ moves: [], spread: { over: 0 } });
  });

  it('continues from the actual placement by the scheduler', async () => {
    const cluster = new FakeCluster(UNEVEN, ({ from_node }) => (from_node === 'idle' ? 'spare' : 'idle'));
    const { outcome, moved, asSuggested } = await run(cluster);
    expect(outcome).toBe('converged');
    expect(asSuggested).toBeLessThan(moved);
    // VMs that arrived against the plan have to leave again.
    expect(cluster.asked.flat().some(({ from_node }) => from_node === 'idle')).toBe(true);
  });

  it('excludes VMs that the scheduler returns, and stops when there are no others', async () => {
    const cluster = new FakeCluster(UNEVEN, ({ from_node }) => from_node);
    const { outcome, moved, retained } = await run(cluster);
    expect([outcome, moved, [...retained].sort()]).toEqual(['stalled', 0, ['a', 'b', 'c', 'd']]);
    expect(cluster.asked.flat().map(({ vm_id }) => vm_id)).toHaveLength(4);
  });

  it('does not claim to have converged if VMs have lost their nodes', async () => {
    const { outcome, moved, unplaced, seen } = await run(new FakeCluster(UNEVEN, () => ''));
    expect(seen.at(-1)?.verdict.over).toEqual([]);
    expect([outcome, moved, unplaced.length]).toEqual(['unplaced', 0, 3]);
  });

  it('does not claim to have converged if no node is ready', async () => {
    const nodes = { full: { isReady: false }, idle: { isReady: false }, spare: { isReady: false } };
    const { outcome, last } = await run(new FakeCluster(UNEVEN, obeying, { nodes }));
    expect([outcome, last?.hindrances.notReady]).toEqual(['stalled', ['full', 'idle', 'spare']]);
  });

  it.each([
    ['cordoned', { isCordoned: true }, 'cordoned'],
    ['not ready', { isReady: false }, 'notReady'],
  ] as const)('sends no VM to a node that is %s', async (_what, spare, field) => {
    const cluster = new FakeCluster(UNEVEN, obeying, { nodes: { spare } });
    const { moved, last } = await run(cluster);
    expect(moved).toBeGreaterThan(0);
    expect(new Set(cluster.asked.flat().map(({ to_node }) => to_node))).toEqual(new Set(['idle']));
    expect(last?.hindrances[field]).toEqual(['spare']);
  });

  it('moves no VM from a node that is not ready', async () => {
    const cluster = new FakeCluster(UNEVEN, obeying, { nodes: { full: { isReady: false } } });
    await run(cluster);
    expect(cluster.asked.flat().filter(({ from_node }) => from_node === 'full')).toEqual([]);
  });

  it('stalls, and says why, if every other node is cordoned', async () => {
    const nodes = { idle: { isCordoned: true }, spare: { isCordoned: true } };
    const { outcome, moved, last } = await run(new FakeCluster(UNEVEN, obeying, { nodes }));
    expect([outcome, moved, last?.hindrances.cordoned]).toEqual(['stalled', 0, ['idle', 'spare']]);
  });

  it('sends a VM only to nodes that accept it and have room for its requests', async () => {
    const picky = { excluded: ['spare'], request: { cpu: 1, memory: 1 } };
    const vms = { a: picky, b: picky, c: picky, d: picky };
    const cluster = new FakeCluster(UNEVEN, obeying, { vms, nodes: { idle: { free: { cpu: 2, memory: 8 } } } });
    await run(cluster);
    const asked = cluster.asked.flatMap((step) => step.map(({ to_node }) => to_node));
    // The fake cluster does not count requests, so that the first step shows what a plan may take.
    expect([cluster.asked[0]?.length, new Set(asked)]).toEqual([2, new Set(['idle'])]);
    const none = new FakeCluster(UNEVEN, obeying, { vms, nodes: { idle: { free: { cpu: 0.5, memory: 8 } } } });
    expect((await run(none)).outcome).toBe('stalled');
  });

  it('moves no more VMs in a step than a PodDisruptionBudget allows', async () => {
    const within = (allowed: number) => {
      const budgets = [{ name: 'default/all', allowed }];
      return { vms: { a: { budgets }, b: { budgets }, c: { budgets }, d: { budgets } } };
    };
    const one = new FakeCluster(UNEVEN, obeying, within(1));
    expect((await run(one)).outcome).toBe('converged');
    expect(new Set(one.asked.map((step) => step.length))).toEqual(new Set([1]));
    const { outcome, moved, last } = await run(new FakeCluster(UNEVEN, obeying, within(0)));
    expect([outcome, moved, last?.hindrances.budget]).toEqual(['stalled', 0, 4]);
  });

  it('does not move a VM again before its cooldown has passed', async () => {
    const sideways: Scheduler = ({ from_node }) => (from_node === 'idle' ? 'spare' : 'idle');
    const cluster = new FakeCluster(UNEVEN, sideways);
    const { last } = await run(cluster, 20, undefined, { cooldownMs: 60_000 });
    const moved = cluster.asked.flat().map(({ vm_id }) => vm_id);
    expect(new Set(moved).size).toBe(moved.length);
    expect(last?.hindrances.cooldown).toBe(moved.length);
    const warm = new FakeCluster(UNEVEN, sideways);
    await run(warm, 20, undefined, { cooldownMs: 10_000 });
    expect(new Set(warm.asked.flat().map(({ vm_id }) => vm_id)).size).toBeLessThan(warm.asked.flat().length);
  });

  it.each(PLANNERS)('moves nothing with $id that costs more than it gains', async (planner) => {
    const method = { ...METHOD, planner };
    expect((await run(new FakeCluster(UNEVEN, obeying), 20, undefined, { method })).moved).toBeGreaterThan(0);
    const { outcome, moved } = await run(new FakeCluster(UNEVEN, obeying), 20, undefined, { method, moveCost: 50 });
    expect([outcome, moved]).toEqual(['stalled', 0]);
  });

  it('stops after the maximum number of steps', async () => {
    const fat = { ...UNEVEN, full: Array.from({ length: 20 }, (_, i) => [`v${i}`, 0.1] as const) };
    const { outcome, steps, seen } = await run(new FakeCluster(fat, obeying), 1);
    expect([outcome, steps, seen.length, seen.at(-1)?.moves]).toEqual(['capped', 1, 2, []]);
  });

  it('completes the current step when it is interrupted', async () => {
    const enough = new AbortController();
    const cluster = new FakeCluster(UNEVEN, (move) => {
      enough.abort();
      return move.to_node;
    });
    const { outcome, steps, moved } = await run(cluster, 20, enough.signal);
    expect([outcome, steps, moved]).toEqual(['interrupted', 1, cluster.asked.flat().length]);
  });

  it('terminates for every method on any load, and respects the limits', async () => {
    const loads = fc.record({
      method: fc.record({
        algorithm: fc.constantFrom(...ALGORITHMS),
        planner: fc.constantFrom(...PLANNERS),
        mode: fc.constantFrom(...MODES),
      }),
      seed: fc.nat(),
      // The scheduler alternates between following the plan, returning the VM, and finding no room.
      will: fc.array(fc.constantFrom<'obeys' | 'back' | 'none'>('obeys', 'back', 'none'), { minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(loads, async ({ method, seed, will }) => {
        const { nodes } = generate({ load: 'mixed', nodes: 5, vms: 30 }, seededRandom(seed));
        const written = nodes.map(({ name, vms }) => [
          name,
          vms.flatMap((vm) => ('cpu_consumption' in vm ? [[vm.id, vm.cpu_consumption] as const] : [])),
        ]);
        let turn = 0;
        const cluster = new FakeCluster(Object.fromEntries(written), ({ from_node, to_node }) => {
          const does = will[turn++ % will.length];
          return does === 'obeys' ? to_node : does === 'back' ? from_node : '';
        });
        const { steps, retained } = await run(cluster, 30, undefined, { method });
        expect(steps).toBeLessThanOrEqual(30);
        const requested = cluster.asked.flat();
        for (const step of cluster.asked) expect(step.length).toBeLessThanOrEqual(DEFAULT_LIMITS.perStep);
        for (const id of retained) expect(requested.findLast(({ vm_id }) => vm_id === id)).toBeDefined();
      }),
      { numRuns: 60 },
    );
  });

  it('decides in a dry run what the first step would do', async () => {
    const cluster = new FakeCluster(UNEVEN, obeying);
    const boundsFor = () => ({ limits: DEFAULT_LIMITS, steps: 1, budget: 60 });
    const { moves } = decide(
      { method: METHOD, boundsFor, random: seededRandom(1), cooldownMs: 0 },
      1,
      await cluster.observe(),
    );
    await run(cluster, 1);
    expect(cluster.asked[0]).toEqual(moves);
  });
});

describe('the observed fleet', () => {
  const node: ObservedNode = {
    ...{ name: 'n', cpuCores: 10, memoryBytes: 100, cpuUsage: 0.6, cpuPressure: 0.04 },
    ...{ memoryUsage: 0.5, memoryPressure: 0.03 },
    vms: [
      { id: 'a', cpu: 1, memory: 1 },
      { id: 'b', cpu: 2, memory: 4 },
    ],
  };

  it('divides measurements among the VMs', () => {
    const { fleet, load } = observedFleet([node], new Set());
    const close = (value: number) => expect.closeTo(value, 9) as number;
    expect(fleet.vms).toEqual([
      { id: 'a', cpu: close(2), memory: close(10), node: 0 },
      { id: 'b', cpu: close(4), memory: close(40), node: 0 },
    ]);
    expect([load.cpuUsage[0], load.cpuPressure[0]]).toEqual([0.6, 0.04]);
    expect(fleet.load().cpuUsage[0]).toBeCloseTo(0.6, 9);
  });

  it('counts excluded VMs as fixed load', () => {
    const { fleet } = observedFleet([node], new Set(['b']));
    expect(fleet.vms.map(({ id }) => id)).toEqual(['a']);
    expect(fleet.load().cpuUsage[0]).toBeCloseTo(0.6, 9);
    expect(fleet.load().cpuPressure[0]).toBeCloseTo(cpuPressure(0.6), 9);
  });

  it('keeps the measurements of a node without VMs', () => {
    const { fleet } = observedFleet([{ ...node, vms: [] }], new Set());
    expect(fleet.load()).toMatchObject({
      cpuUsage: new Float64Array([0.6]),
      cpuPressure: new Float64Array([0.04]),
      memoryPressure: new Float64Array([0.03]),
    });
  });
});
