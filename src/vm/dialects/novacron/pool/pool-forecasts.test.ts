import { describe, expect, it } from 'vitest';
import type { NovacronVm, Pool } from '#api/novacron/resources';
import { type Random, seededRandom } from '#platform/base/random';
import type { Context } from '#platform/runtime/controller';
import { computeFit } from '#vm/forecast/budgeted-fits';
import { GENERATORS } from '#vm/forecast/generators';
import { PoolForecasts } from './pool-forecasts.ts';
import { EMPTY_HISTORY, type PoolHistory, STEP_MS, withSample } from './pool-history.ts';

const pool = {
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: {
    template: { spec: { resources: { cpu: 1, memory: '1Gi' } } },
    autoscaling: {
      enabled: true,
      metrics: [{ type: 'cpu', targetAverageUtilization: 50 }],
      predictive: { enabled: true, model: 'arima', lookbackWindow: '7d', forecastHorizon: '1h' },
    },
  },
} as unknown as Pool;
/** A VM that took seven minutes to start. */
const vm = {
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T00:07:00Z' }] },
} as unknown as NovacronVm;

/** Lets days of demand, in thousandths of a core, pass by, and returns what was forecast at each step. */
async function replay(generate: ((length: number, random: Random) => number[]) | undefined, steps: number) {
  const values = generate?.(steps, seededRandom('replay')) ?? [];
  const forecasts = new PoolForecasts({ fit: computeFit });
  const start = Date.UTC(2030, 0, 7);
  let history: PoolHistory = EMPTY_HISTORY;
  const seen: { readonly replicas: number; readonly used: boolean }[] = [];
  for (const [i, value] of values.entries()) {
    const at = start + i * STEP_MS;
    const sample = { at, value: Math.round(value * 100), isSaturated: false };
    const demand = { cpu: withSample(history.demand['cpu'], sample, 2016) };
    const context = { clock: { now: () => at + STEP_MS }, signal: new AbortController().signal } as unknown as Context;
    const probation = forecasts.advance(
      pool,
      [vm],
      Object.assign({}, history, { demand }),
      [{ metric: 'cpu', ...sample }],
      context,
    );
    history = { scale: EMPTY_HISTORY.scale, demand, probation };
    // A fit is finished before the next step.
    await new Promise<void>((resolve) => queueMicrotask(resolve));
    await Promise.resolve();
    const { replicas = 0, used = false } = forecasts.latest?.demand ?? {};
    seen.push({ replicas, used });
  }
  return { values, seen, latest: forecasts.latest };
}

describe('the forecast of a pool', () => {
  it('waits for a day of demand', async () => {
    const { latest } = await replay(GENERATORS['sine with noise'], 200);
    expect(latest?.status.message).toBe('a forecast needs 24 h of demand, and 16 h are known');
    expect(latest?.demand).toMatchObject({ used: false, reason: 'NoForecast' });
  });

  it('is used once it has proven itself, and then knows the demand before it arrives', async () => {
    const { values, seen, latest } = await replay(GENERATORS['sine with noise'], 800);
    expect(seen.slice(0, 320).some(({ used }) => used)).toBe(false);
    expect(latest?.demand).toMatchObject({ used: true, reason: 'BetterThanNaive' });
    const { error = 1, naiveError = 0, coverage = 0 } = latest?.status ?? {};
    expect(error).toBeLessThan(naiveError);
    expect(coverage).toBeGreaterThan(0.7);
    const lead = 3;
    const late = seen.flatMap(({ replicas, used }, i) => {
      const demand = values[i + lead];
      return used && demand !== undefined ? [replicas * 500 >= demand * 100 * 0.95] : [];
    });
    expect(late.length).toBeGreaterThan(100);
    expect(late.filter(Boolean).length / late.length).toBeGreaterThan(0.9);
  });

  it('is not used for noise', async () => {
    const { seen } = await replay(GENERATORS['noise alone'], 800);
    expect(seen.filter(({ used }) => used).length / seen.length).toBeLessThan(0.05);
  });
});
