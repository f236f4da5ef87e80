import fc from 'fast-check';
import { expect, it } from 'vitest';
import { percentilesOf } from './percentiles.ts';

it.each([
  [[], { p50: 0, p95: 0, p99: 0, max: 0 }],
  [[3], { p50: 3, p95: 3, p99: 3, max: 3 }],
  [[1, 2, 3, 4], { p50: 2, p95: 4, p99: 4, max: 4 }],
  [Array.from({ length: 200 }, (_, i) => i + 1), { p50: 100, p95: 190, p99: 198, max: 200 }],
])('the percentiles of %j', (values, expected) => {
  expect(percentilesOf(values)).toEqual(expected);
});

it('a percentile is a value that at least its part does not exceed', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1 }), (thousandths) => {
      const values = thousandths.map((value) => value / 1000);
      const found = percentilesOf(values);
      for (const [part, value] of [
        [0.5, found.p50],
        [0.95, found.p95],
        [0.99, found.p99],
        [1, found.max],
      ] as const) {
        const covered = values.filter((each) => each <= value + 1e-9).length;
        const less = values.filter((each) => each < value - 1e-9).length;
        expect(covered).toBeGreaterThanOrEqual(part * values.length);
        expect(less).toBeLessThan(part * values.length);
      }
    }),
  );
});
