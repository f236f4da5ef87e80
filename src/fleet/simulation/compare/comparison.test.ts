import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairedDifference } from './paired-difference.ts';
import { criticalT } from './student-t.ts';

describe('criticalT', () => {
  // Published two-sided values for 5 %, rounded to three digits, and one for 1 %.
  it.each([
    [0.05, 1, 12.706],
    [0.05, 2, 4.303],
    [0.05, 4, 2.776],
    [0.05, 9, 2.262],
    [0.05, 29, 2.045],
    [0.05, 1000, 1.962],
    [0.01, 10, 3.169],
  ])('of %d with %d degrees of freedom matches the table', (probability, freedom, expected) => {
    expect(criticalT(probability, freedom)).toBeCloseTo(expected, 3);
  });
});

describe('pairedDifference', () => {
  it('equals an interval computed by hand', () => {
    // Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), t with 2 degrees of freedom 4.303.
    const found = pairedDifference([10, 20, 30], [11, 22, 33]);
    const margin = 4.302653 / Math.sqrt(3);
    expect([found.mean, found.significant]).toEqual([2, false]);
    expect(found.low).toBeCloseTo(2 - margin, 4);
    expect(found.high).toBeCloseTo(2 + margin, 4);
  });

  it('cancels effects of the seed', () => {
    expect(pairedDifference([1, 100, 1000], [2, 101, 1001])).toEqual({ mean: 1, low: 1, high: 1, significant: true });
    expect(pairedDifference([1, 5], [1, 5])).toEqual({ mean: 0, low: 0, high: 0, significant: false });
  });

  it('is negated if the methods are exchanged', () => {
    const values = fc.array(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 })), {
      minLength: 2,
      maxLength: 20,
    });
    fc.assert(
      fc.property(values, (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
        const [there, back] = [pairedDifference(a, b), pairedDifference(b, a)];
        expect(back.mean).toBeCloseTo(-there.mean, 5);
        expect(back.low).toBeCloseTo(-there.high, 5);
        expect(there.low).toBeLessThanOrEqual(there.mean);
        expect(there.significant).toBe(back.significant);
      }),
    );
  });
});
