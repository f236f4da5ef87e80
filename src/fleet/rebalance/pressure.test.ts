import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuPressure, memoryPressure } from './pressure.ts';

describe('pressure', () => {
  it.each([
    // 0.07 * 0.5
    [0.5, 0.035],
    // the line of the middle part comes to 0 here; the first part ended at 0.07 * 0.7
    [0.7, 0.049],
    [0.72, 0.049],
    // 0.8 - 0.7
    [0.8, 0.1],
    [0.9, 0.2],
    // 0.2 + 0.6 * 0.5^2
    [0.95, 0.35],
    [1, 0.8],
  ])('of usage %f is %f, for CPU and memory', (usage, expected) => {
    expect(cpuPressure(usage)).toBeCloseTo(expected, 12);
    expect(memoryPressure(usage)).toBeCloseTo(expected, 12);
  });

  it.each([
    // 0.8 + 0.5 * 0.2
    [1.2, 0.9],
    [1.4, 1],
    [3, 1],
  ])('of a demand of %f for CPU is %f', (demand, expected) => {
    expect(cpuPressure(demand)).toBeCloseTo(expected, 12);
  });

  it('of memory is capped at 1', () => expect(memoryPressure(2)).toBe(memoryPressure(1)));

  it.each([
    ['CPU', cpuPressure],
    ['memory', memoryPressure],
  ])('of %s is monotonic in usage, and in 0..1', (_of, pressure) => {
    const usage = fc.double({ min: 0, max: 2, noNaN: true });
    fc.assert(
      fc.property(usage, usage, (a, b) => {
        const [low, high] = [pressure(Math.min(a, b)), pressure(Math.max(a, b))];
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000, examples: [0.7, 0.9, 1].map((edge): [number, number] => [edge - Number.EPSILON / 2, edge]) },
    );
  });
});
