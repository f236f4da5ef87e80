import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { ALGORITHMS } from './algorithms.ts';
import { classify, MODES } from './buckets.ts';
import { FleetModel } from './fleet-model.ts';
import type { PlannerInput } from './planner.ts';
import { PromisingMoves } from './promising-moves.ts';

const MEMORY = 0.01;
/** Memory of a node that has room for one VM only. */
const FULL = 1.5 * MEMORY;

/** Builds a fleet from the CPU usage of the VMs on each node. */
function fleetOf(nodes: readonly (readonly number[])[], memory: (node: number) => number = () => 1): FleetModel {
  return FleetModel.of(
    nodes.map((_, node) => ({ name: `n${node}`, cpu: 1, memory: memory(node) })),
    nodes.flatMap((vms, node) => vms.map((cpu, i) => ({ id: `${node}-${i}`, cpu, memory: MEMORY, node }))),
  );
}

function movesOf(
  fleet: FleetModel,
  limits = { perNode: 2, perStep: 5 },
  scores = Float64Array.from(fleet.cpuUsed),
): PromisingMoves {
  const mode = MODES.find(({ id }) => id === 'Low');
  const algorithm = ALGORITHMS[0];
  if (mode === undefined || algorithm === undefined) throw new Error('there is no such mode');
  const input: PlannerInput = {
    verdict: classify(scores, mode),
    score: algorithm.score,
    mode,
    limits,
    random: seededRandom(1),
    budget: 1,
    moveCost: 0,
  };
  return new PromisingMoves(fleet, input);
}

describe('promising moves', () => {
  it('move each VM of an over-utilized node to the node where it evens out the fleet most, the best move first', () => {
    const fleet = fleetOf([[0.05, 0.2, 0.3], [0.1], []]);
    expect(movesOf(fleet).beside([], 9)).toEqual([
      { vm: 2, from: 0, to: 2 },
      { vm: 1, from: 0, to: 2 },
      { vm: 0, from: 0, to: 2 },
    ]);
  });

  it('are at most as many as requested', () => {
    const fleet = fleetOf([[0.3, 0.3, 0.3], [0]]);
    expect(movesOf(fleet).beside([], 2)).toHaveLength(2);
    expect(movesOf(fleet).beside([], 0)).toEqual([]);
  });

  it('break ties in favor of the first VM and the first node, whatever the order on the node', () => {
    const fleet = fleetOf([[], [0.3, 0.3, 0.3], []]);
    fleet.move(0, 2);
    fleet.move(0, 1);
    expect(fleet.on(1)).toEqual([2, 1, 0]);
    expect(movesOf(fleet).beside([], 3)).toEqual([
      { vm: 0, from: 1, to: 0 },
      { vm: 1, from: 1, to: 0 },
      { vm: 2, from: 1, to: 0 },
    ]);
  });

  it.each([
    ['one below the limit', 1, 2, true],
    ['at the limit', 2, 2, false],
    ['at a limit of one', 1, 1, false],
  ])('count the moves of a plan against the limit of their node: %s', (_what, planned, perNode, more) => {
    const fleet = fleetOf([[0.1, 0.1, 0.1, 0.1, 0.1, 0.1], []]);
    const moves = movesOf(fleet, { perNode, perStep: 5 });
    const plan = Array.from({ length: planned }, (_, vm) => ({ vm, from: 0, to: 1 }));
    for (const { vm, to } of plan) fleet.move(vm, to);
    expect(moves.beside(plan, 9).length > 0).toBe(more);
  });

  it('skip a node that has reached its limit, and continue with the next', () => {
    const fleet = fleetOf([[0.5, 0.5], [0.4, 0.4], [], []]);
    const moves = movesOf(fleet, { perNode: 1, perStep: 5 });
    fleet.move(0, 2);
    const found = moves.beside([{ vm: 0, from: 0, to: 2 }], 9);
    expect(found.map(({ from, to }) => ({ from, to }))).toEqual([
      { from: 1, to: 3 },
      { from: 1, to: 3 },
    ]);
  });

  it('come from no more nodes than VMs may move, the most over-utilized first', () => {
    const fleet = fleetOf([[0.4, 0.4], [0.5, 0.5], [0.45, 0.45], [], [], []]);
    const sources = (perStep: number) =>
      new Set(
        movesOf(fleet, { perNode: 2, perStep })
          .beside([], 9)
          .map(({ from }) => from),
      );
    expect(sources(1)).toEqual(new Set([1]));
    expect(sources(2)).toEqual(new Set([1, 2]));
    expect(sources(5)).toEqual(new Set([0, 1, 2]));
  });

  it('never exceed the memory of a node, and never lead to an over-utilized one', () => {
    const fleet = fleetOf([[2, 2], [1.5], [0], [1]], (node) => (node === 2 ? FULL : 1));
    const over = Float64Array.of(3, 2, 0, 0);
    expect(movesOf(fleet, undefined, over).beside([], 9)).toEqual([
      { vm: 0, from: 0, to: 3 },
      { vm: 1, from: 0, to: 3 },
    ]);
  });

  it('make no move that leaves the fleet as uneven as before', () => {
    expect(movesOf(fleetOf([[0.6], [0]])).beside([], 9)).toEqual([]);
  });

  it.each([
    [63, [{ vm: 1, from: 1, to: 0 }]],
    [64, []],
  ])('consider only the 64 least utilized nodes: %d have no memory, and one more has', (full, expected) => {
    const idle = Array.from({ length: full }, () => [0]);
    // The node with memory comes first by number and last by utilization.
    const fleet = fleetOf([[1], [2, 2], ...idle], (node) => (node > 1 ? FULL : 1));
    const over = Float64Array.from(fleet.nodes, (_, node) => (node === 1 ? 1 : 0));
    expect(movesOf(fleet, undefined, over).beside([], 1)).toEqual(expected);
  });
});
