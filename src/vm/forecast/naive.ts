import { DAY_STEPS, type Forecast, type ForecastModel, type TimeSeries } from './model.ts';
import { errorsOf, withUpper } from './upper-bound.ts';

/** Forecasts that need no model. A model is only worth its cost if it is better than all of these. */

const at = (values: readonly number[], index: number): number => values[Math.max(0, index)] ?? values.at(-1) ?? 0;

function naive(
  name: string,
  mean: (values: readonly number[], step: number) => number,
): ForecastModel<readonly number[]> {
  const means = (values: readonly number[], steps: number) =>
    Array.from({ length: steps }, (_, i) => mean(values, i + 1));
  return {
    name,
    fit: ({ values }: TimeSeries) => errorsOf(values, (past, steps) => means(past, steps)),
    predict: (errors, { values }, steps): Forecast => withUpper(means(values, steps), errors),
  };
}

export const lastValue = naive('last value', (values) => values.at(-1) ?? 0);

/** The value at the same time of the day before, or the last value during the first day. */
export const yesterday = naive('yesterday', (values, step) =>
  values.length < DAY_STEPS
    ? (values.at(-1) ?? 0)
    : at(values, values.length - 1 + step - DAY_STEPS * Math.ceil(step / DAY_STEPS)),
);

/** The average of the last day, which no model can beat if there is only noise. */
export const dayAverage = naive('day average', (values) => {
  const day = values.slice(-DAY_STEPS);
  return day.length === 0 ? 0 : day.reduce((sum, value) => sum + value, 0) / day.length;
});

export const NAIVE_MODELS = [lastValue, yesterday, dayAverage] as const;
