import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALGORITHMS } from './algorithms.ts';
import { loadOf, type Point, points } from './load.fixture.ts';

/*
 * Three nodes. The means by hand: cpu usage (0.2 + 0.4 + 0.9) / 3 = 0.5, cpu pressure (0 + 0.25 + 0.05) / 3 = 0.1,
 * memory usage (0.4 + 0.4 + 0.7) / 3 = 0.5, memory pressure (0 + 0.2 + 0.4) / 3 = 0.2. So a lies above no mean, b above
 * that of cpu pressure alone, by 0.15, and c above three of them: by (0.4, 0, 0.2, 0.2).
 */
const NODES: Readonly<Record<'a' | 'b' | 'c', Point>> = {
  a: [0.2, 0, 0.4, 0],
  b: [0.4, 0.25, 0.4, 0.2],
  c: [0.9, 0.05, 0.7, 0.4],
};

const EXPECTED: Readonly<Record<string, Readonly<[number, number, number]>>> = {
  // 0.6 / 4; 1.25 / 4; 2.05 / 4
  'weighted-average': [0.15, 0.3125, 0.5125],
  'max-metric': [0.4, 0.4, 0.9],
  // squares: 0.04 + 0.16 = 0.2; 0.16 + 0.0625 + 0.16 + 0.04 = 0.4225 = 0.65^2; 0.81 + 0.0025 + 0.49 + 0.16 = 1.4625
  'euclidean-distance': [Math.sqrt(0.2) / 2, 0.325, Math.sqrt(1.4625) / 2],
  // (2 * 0 + 0.3) / 3; (2 * 0.225 + 0.4) / 3 = 0.85 / 3; (2 * 0.225 + 0.8) / 3 = 1.25 / 3
  'pressure-focused': [0.1, 0.85 / 3, 1.25 / 3],
  // 0.35 * 0.15^2 = 0.007875; 0.15 * 0.16 + 0.15 * 0.04 + 0.35 * 0.04 = 0.024 + 0.006 + 0.014 = 0.044
  'weighted-rms-positive-deviation': [0, Math.sqrt(0.007875), Math.sqrt(0.044)],
  'weighted-mean-square-positive-deviation': [0, 0.007875, 0.044],
  // 0.35 * 0.15; 0.15 * 0.4 + 0.15 * 0.2 + 0.35 * 0.2 = 0.06 + 0.03 + 0.07
  'linear-weighted-positive-deviation': [0, 0.0525, 0.16],
  // a is below both others in everything; b and c undercut each other: fronts {a}, {b, c}, all on their boundaries
  'pareto-front': [0, 1, 1],
  // from the mean: (-.3, -.1, -.1, -.2): 0.15; (-.1, .15, -.1, 0): 0.0425; (.4, -.05, .2, .2): 0.2425, the most
  'centroid-distance': [Math.sqrt(0.15 / 0.2425), Math.sqrt(0.0425 / 0.2425), 1],
  // 0.15 and the root of 0.16 + 0.04 + 0.04 = 0.24
  'directional-centroid-distance': [0, 0.15 / Math.sqrt(0.24), 1],
  // .09 + 2*.01 + .01 + 2*.04 = 0.2; .01 + 2*.0225 + .01 = 0.065; .16 + 2*.0025 + .04 + 2*.04 = 0.285
  'variance-minimization': [Math.sqrt(0.2 / 0.285), Math.sqrt(0.065 / 0.285), 1],
  // 2 * 0.15 = 0.3; 0.4 + 0.2 + 2 * 0.2 = 1
  'directional-variance-minimization': [0, 0.3, 1],
  // sums above the mean: 0.4, 0.15, 0.2, 0.2: cpu usage is critical, and c alone exceeds it
  'critical-dimension-focus': [0, 0, 1],
  'ideal-point-positive-distance': [0, 0.15, Math.sqrt(0.24)],
  'linear-amplified-ideal-point-k1': [0, 0.15, Math.sqrt(0.24)],
  // 3 * 0.15; 3 * 0.4899 is more than 1
  'linear-amplified-ideal-point-k3': [0, 0.45, 1],
  'linear-amplified-ideal-point-k5': [0, 0.75, 1],
  // 0.14; 0.28 + 0.075; 0.63 + 0.015
  'cpu-focused': [0.14, 0.355, 0.645],
  // 0.28; 0.28 + 0.06; 0.49 + 0.12
  'memory-focused': [0.28, 0.34, 0.61],
};

describe('the nineteen algorithms', () => {
  it.each(ALGORITHMS.map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s returns the value of the formula computed by hand',
    (_name, { id, score }) => {
      const scores = score(loadOf([NODES.a, NODES.b, NODES.c]));
      (EXPECTED[id] ?? []).forEach((expected, at) => expect(scores[at]).toBeCloseTo(expected, 12));
      expect(EXPECTED[id]).toHaveLength(scores.length);
    },
  );

  it('are nineteen, each with its own id and name', () => {
    expect(new Set(ALGORITHMS.map(({ id }) => id)).size).toBe(19);
    expect(new Set(ALGORITHMS.map(({ name }) => name)).size).toBe(19);
  });

  it('compute the crowding distance of a front', () => {
    // All four undercut each other: one front. Of the inner two, in cpu usage (span 0.5) and cpu pressure (span 0.3):
    // 0.3 / 0.5 + 0.2 / 0.3 = 19/15, and 0.4 / 0.5 + 0.2 / 0.3 = 22/15, the most. So 0.1 * (1 - 19/22) = 0.3 / 22.
    const front: Point[] = [
      [0.1, 0.4, 0, 0],
      [0.2, 0.3, 0, 0],
      [0.4, 0.2, 0, 0],
      [0.6, 0.1, 0, 0],
    ];
    const scores = ALGORITHMS[7]?.score(loadOf(front)) ?? [];
    [0, 0.3 / 22, 0, 0].forEach((expected, at) => expect(scores[at]).toBeCloseTo(expected, 12));
  });

  it('return zero for equal nodes, although their mean is not exactly their value', () => {
    const equal = Array.from({ length: 3 }, (): Point => [0.4, 0.028, 0.5, 0.035]);
    for (const at of [8, 9, 10, 11, 12]) expect([...(ALGORITHMS[at]?.score(loadOf(equal)) ?? [])]).toEqual([0, 0, 0]);
  });

  it('use the first of several equally critical metrics', () => {
    // Both usages lie 0.2 above their means, once each.
    const scores = ALGORITHMS[12]?.score(
      loadOf([
        [0.8, 0, 0.4, 0],
        [0.4, 0, 0.8, 0],
      ]),
    );
    expect([...(scores ?? [])]).toEqual([1, 0]);
  });

  it.each(ALGORITHMS.map((algorithm) => [algorithm.id, algorithm] as const))(
    '%s returns finite, non-negative scores that do not depend on the order of nodes',
    (_id, { score }) => {
      fc.assert(
        fc.property(points(), fc.nat(), (nodes, turn) => {
          const scores = score(loadOf(nodes));
          for (const each of scores) expect(each).toSatisfy((value: number) => Number.isFinite(value) && value >= 0);
          const by = nodes.length === 0 ? 0 : turn % nodes.length;
          const turned = score(loadOf([...nodes.slice(by), ...nodes.slice(0, by)]));
          scores.forEach((each, at) => {
            expect(turned[(at - by + nodes.length) % nodes.length]).toBeCloseTo(each, 9);
          });
        }),
      );
    },
  );
});
