import { type Forecast, MAX_HORIZON } from './model.ts';

/** Ratio of values that an upper bound should cover. */
const COVERED = 0.94;
/** Origins from which the errors of a model are measured. */
const ORIGINS = 120;

/** Forecast of the steps after a part of the series. */
export type PredictMeans = (past: readonly number[], steps: number) => readonly number[];

/**
 * Returns by how much values exceeded the forecast of each step, as the quantile that the upper bound should cover,
 * measured from recent origins of the series itself.
 */
export function errorsOf(values: readonly number[], predict: PredictMeans): number[] {
  const errors = Array.from({ length: MAX_HORIZON }, () => [] as number[]);
  const first = Math.max(2, Math.floor(values.length / 2));
  const stride = Math.max(1, Math.floor((values.length - first) / ORIGINS));
  for (let origin = first; origin < values.length; origin += stride) {
    const steps = Math.min(MAX_HORIZON, values.length - origin);
    const means = predict(values.slice(0, origin), steps);
    for (let i = 0; i < steps; i++) errors[i]?.push((values[origin + i] ?? 0) - (means[i] ?? 0));
  }
  return errors.map((found) => quantile(found, COVERED));
}

/** Returns the forecast with its upper bound, which never is below the mean. Demand is never negative. */
export function withUpper(means: readonly number[], errors: readonly number[]): Forecast {
  const mean = means.map((value) => (Number.isFinite(value) ? Math.max(0, value) : 0));
  return { mean, upper: mean.map((value, i) => value + Math.max(0, errors[Math.min(i, errors.length - 1)] ?? 0)) };
}

export function quantile(values: readonly number[], ratio: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(ratio * sorted.length))] ?? 0;
}
