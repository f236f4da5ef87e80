import { expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { computeFit, type FitRequest } from '#vm/forecast/budgeted-fits';
import { threadedFits } from './fit-thread.ts';

it('fits on another thread are those of this one', async () => {
  const values = Array.from({ length: 300 }, (_, i) => 10 + (i % 7));
  const request: FitRequest = { model: 'arima', series: { values, first: 0 }, seed: 'a' };
  const { signal } = new AbortController();
  expect(await threadedFits(realClock).fit(request, signal)).toEqual(await computeFit(request));
});
