import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitMessage } from './diagnosis.ts';
import type { FilterStatus } from './filter.ts';
import { numFeasibleNodesToFind, Rotation } from './sampling.ts';
import { selectHost } from './select-host.ts';

describe('the number of feasible nodes to find', () => {
  const CASES: readonly [nodes: number, percentage: number, expected: number][] = [
    [0, 0, 0],
    [99, 0, 99],
    [99, 10, 99],
    [100, 0, 100],
    // 50 - 1000/125 = 42 %
    [1_000, 0, 420],
    // 50 - 5000/125 = 10 %
    [5_000, 0, 500],
    // The percentage is never less than 5 %.
    [20_000, 0, 1_000],
    [1_000, 100, 1_000],
    // The number is never less than 100.
    [1_000, 1, 100],
  ];
  test.each(CASES)('of %i nodes at %i percent is %i', (nodes, percentage, expected) => {
    expect(numFeasibleNodesToFind(nodes, percentage)).toBe(expected);
  });
});

test('the search starts where the last one ended', () => {
  const rotation = new Rotation();
  const starts = [70, 70, 70].map((looked) => {
    rotation.advance(looked, 100);
    return rotation.start;
  });
  expect(starts).toEqual([70, 40, 10]);
  rotation.advance(5, 0);
  expect(rotation.start).toBe(0);
});

describe('the host with the highest score', () => {
  const CASES: readonly [scores: number[], expected: number][] = [
    [[1], 0],
    [[1, 1], 0],
    [[1, 1, 1, 1, 1], 0],
    [[0, 1, 1], 1],
    // Sifting starts from the middle: 1 with its children 3 and 4, then the root against 1 and 2.
    [[0, 0, 5, 5, 5], 3],
    [[0, 5, 5, 5], 1],
    [[3, 9, 2, 9, 9], 1],
  ];
  test.each(CASES)('is selected as by the heap of kube-scheduler: %j', (scores, expected) => {
    expect(selectHost(Float64Array.from(scores), scores.length)).toBe(expected);
  });

  test('is always one of the best', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 300 }), (scores) => {
        expect(scores[selectHost(Float64Array.from(scores), scores.length)]).toBe(Math.max(...scores));
      }),
    );
  });
});

describe('the message of a pod that fits nowhere', () => {
  const refusal = (...reasons: string[]): FilterStatus => ({ plugin: 'NodeResourcesFit', reasons, preemptable: true });
  test('counts each reason and sorts them as text', () => {
    const refusals = new Map([
      [refusal('Insufficient memory', 'Insufficient cpu'), 2],
      [refusal('Insufficient cpu'), 10],
      [refusal('node(s) had untolerated taint(s)'), 3],
    ]);
    expect(fitMessage({ nodes: 15, refusals }, 'preemption: no.')).toBe(
      '0/15 nodes are available: 12 Insufficient cpu, 2 Insufficient memory, 3 node(s) had untolerated taint(s). preemption: no.',
    );
  });
  test('reports one reason for all nodes if none was checked', () => {
    expect(fitMessage({ nodes: 5, refusals: new Map(), all: refusal('no such claim') })).toBe(
      '0/5 nodes are available: no such claim.',
    );
  });
  test('counts nodes that were not checked', () => {
    const refusals = new Map([[refusal('busy'), 1]]);
    expect(fitMessage({ nodes: 5, refusals, others: refusal('elsewhere') })).toBe(
      '0/5 nodes are available: 1 busy, 4 elsewhere.',
    );
  });
});
