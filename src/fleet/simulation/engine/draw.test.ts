import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { draw, gap } from './draw.ts';

const COUNT = 20_000;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: readonly number[]) => {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
};
const many = (next: (random: ReturnType<typeof seededRandom>) => number) => {
  const random = seededRandom('many');
  return Array.from({ length: COUNT }, () => next(random));
};

describe('a random value', () => {
  it.each([
    [{ type: 'constant', value: 3 }, 3, 0],
    [{ type: 'uniform', min: 2, max: 6 }, 4, 4 / Math.sqrt(12)],
    [{ type: 'normal', mean: 10, stddev: 2 }, 10, 2],
    [{ type: 'exponential', mean: 5 }, 5, 5],
  ] as const)('of %j has the mean %d and the deviation %d', (distribution, middle, spread) => {
    const values = many((random) => draw(distribution, random));
    expect(Math.abs(mean(values) - middle)).toBeLessThan(0.05 * middle);
    expect(Math.abs(deviation(values) - spread)).toBeLessThan(0.05 * Math.max(1, spread));
  });

  it('is never negative and stays within its bounds', () => {
    const bounded = fc.record({
      type: fc.constantFrom('normal' as const, 'exponential' as const, 'uniform' as const),
      mean: fc.double({ min: 0.1, max: 50, noNaN: true }),
      stddev: fc.double({ min: 0, max: 50, noNaN: true }),
      min: fc.double({ min: 0, max: 10, noNaN: true }),
      max: fc.double({ min: 10, max: 60, noNaN: true }),
    });
    fc.assert(
      fc.property(bounded, fc.string(), (distribution, seed) => {
        const random = seededRandom(seed);
        for (let i = 0; i < 20; i++) {
          const value = draw(distribution, random);
          expect(value).toBeGreaterThanOrEqual(distribution.min);
          expect(value).toBeLessThanOrEqual(distribution.max);
        }
      }),
    );
    expect(Math.min(...many((random) => draw({ type: 'normal', mean: 1, stddev: 3 }, random)))).toBeGreaterThanOrEqual(
      0,
    );
  });
});

describe('the time to the next arrival', () => {
  it('is a Poisson process of the requested rate', () => {
    const gaps = many((random) => gap({ type: 'poisson', ratePerHour: 120 }, random));
    expect(Math.abs(mean(gaps) - 30_000)).toBeLessThan(1_000);
    expect(Math.abs(deviation(gaps) - 30_000)).toBeLessThan(1_500);
  });

  it('is otherwise in seconds, and never zero', () => {
    const random = seededRandom('gap');
    expect(gap({ type: 'constant', value: 90 }, random)).toBe(90_000);
    expect(gap({ type: 'uniform', min: 0, max: 0.000_001 }, random)).toBe(1);
  });
});
