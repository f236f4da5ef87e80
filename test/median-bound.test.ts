import { expect, it } from 'vitest';
import { median, medianBound } from '../bench/support/qemu/median-bound.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1).reverse();

it('computes medians', () => {
  expect(median(upTo(5))).toBe(3);
  expect(median(upTo(6))).toBe(3.5);
});

// Ranks of the one-sided 95 % bound, from the binomial distribution with p = 1/2.
it.each([
  [5, 5],
  [10, 9],
  [20, 15],
  [30, 20],
  [100, 59],
])('bounds the median of %i values by the one of rank %i', (count, rank) => {
  expect(medianBound(upTo(count))).toBe(rank);
});
