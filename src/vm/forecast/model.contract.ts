import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { GENERATORS } from './generators.ts';
import { type ForecastModel, fitModel, type TimeSeries } from './model.ts';

const series = (values: readonly number[]): TimeSeries => ({ values, first: 7 });

/** Contract of every model. */
export function forecastModelContract(model: ForecastModel): void {
  const random = () => seededRandom('contract');
  const sine = (length: number) => GENERATORS['sine with noise']?.(length, random()) ?? [];

  describe(`the model ${model.name}`, () => {
    it('forecasts as many steps as requested, with bounds that are not below them', () => {
      const { mean, upper } = fitModel(model, series(sine(600)), random()).predict(30);
      expect([mean.length, upper.length]).toEqual([30, 30]);
      for (const [i, value] of mean.entries()) {
        expect(Number.isFinite(value)).toBe(true);
        expect(upper[i]).toBeGreaterThanOrEqual(value);
      }
    });

    it('depends on its arguments alone', () => {
      const predicted = () => fitModel(model, series(sine(600)), random()).predict(12);
      expect(predicted()).toEqual(predicted());
    });

    it('is fitted by plain data, which another thread can compute', () => {
      const fitted = model.fit(series(sine(600)), random());
      const copied = JSON.parse(JSON.stringify(fitted)) as unknown;
      expect(model.predict(copied, series(sine(700)), 12)).toEqual(model.predict(fitted, series(sine(700)), 12));
    });

    it.each<[string, readonly number[]]>([
      ['one value', [5]],
      ['few values', [5, 6, 7, 8]],
      ['equal values', Array.from({ length: 600 }, () => 5)],
      ['zeros', Array.from({ length: 600 }, () => 0)],
    ])('accepts %s', (_what, values) => {
      const { mean, upper } = fitModel(model, series(values), random()).predict(12);
      for (const value of [...mean, ...upper]) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(20);
      }
      if (new Set(values).size === 1) for (const value of mean) expect(value).toBeCloseTo(values[0] ?? 0, 1);
    });
  });
}
