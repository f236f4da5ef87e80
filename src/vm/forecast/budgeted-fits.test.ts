import { expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { BudgetedFits, type FitRequest } from './budgeted-fits.ts';

const request = (seed: string): FitRequest => ({ model: 'arima', series: { values: [1], first: 0 }, seed });

it('fits run one at a time and use at most a tenth of the time', async () => {
  const clock = new FakeClock({ start: 0 });
  const begun: [string, number][] = [];
  const compute = async ({ seed }: FitRequest) => {
    begun.push([seed, clock.monotonic()]);
    await clock.sleep(1000);
    if (seed === 'b') throw new Error('too short');
    return seed;
  };
  const fits = new BudgetedFits(compute, clock);
  const { signal } = new AbortController();
  const results = Promise.allSettled(['a', 'b', 'c'].map((seed) => fits.fit(request(seed), signal)));
  await clock.advance(30_000);
  const [, first = 0] = begun[0] ?? [];
  expect(begun.map(([seed, at]) => [seed, at - first])).toEqual([
    ['a', 0],
    ['b', 10_000],
    ['c', 20_000],
  ]);
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
