import { describe, expect, it } from 'vitest';
import { classify, MODES } from './buckets.ts';

const bucketsOf = (mode: string, scores: number[]) => {
  const found = MODES.find(({ id }) => id === mode);
  if (found === undefined) throw new Error(`no mode ${mode}`);
  return classify(Float64Array.from(scores), found);
};

// The mean of 0.1, 0.2, 0.3, 0.6 is 0.3.
const SCORES = [0.1, 0.2, 0.3, 0.6];

describe('buckets', () => {
  it.each([
    ['Low', ['under', 'under', 'fair', 'over']],
    ['Medium', ['under', 'fair', 'fair', 'over']],
    ['High', ['fair', 'fair', 'fair', 'over']],
    ['AsymmetricLow', ['under', 'under', 'under', 'over']],
    ['AsymmetricMedium', ['under', 'under', 'under', 'over']],
    ['AsymmetricHigh', ['under', 'under', 'under', 'over']],
  ])('of %s include their borders', (mode, expected) => {
    expect(bucketsOf(mode, SCORES).buckets).toEqual(expected);
  });

  it('have no over-utilized node if all are equal, and only under-utilized ones without a lower threshold', () => {
    const equal = Array.from({ length: 7 }, () => 0.1 + 0.2);
    expect(bucketsOf('Low', equal).buckets).toEqual(equal.map(() => 'fair'));
    expect(bucketsOf('AsymmetricLow', equal).buckets).toEqual(equal.map(() => 'under'));
  });

  it('check for under-utilization first', () => {
    expect(classify(Float64Array.of(0.5), { id: 'none', lower: 0, upper: 0 }).buckets).toEqual(['under']);
  });

  it('order over-utilized nodes by score and input order, and add up the excess', () => {
    // The mean is 0.4; the border is 0.5.
    const { over, under, excess } = bucketsOf('Low', [0.6, 0, 0.7, 0.6, 0.1]);
    expect(over).toEqual([2, 0, 3]);
    expect(under).toEqual([1, 4]);
    expect(excess).toBeCloseTo(0.1 + 0.2 + 0.1, 6);
  });

  it('are empty without nodes', () => expect(bucketsOf('Low', [])).toMatchObject({ mean: 0, buckets: [], over: [] }));
});
