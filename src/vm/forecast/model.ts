import type { Random } from '#platform/base/random';

/** Values at equal distances in time, the oldest first. */
export interface TimeSeries {
  readonly values: readonly number[];
  /** Position of the first value since the Unix epoch, in steps, so that a model knows the time of day. */
  readonly first: number;
  /** Positions in `values` where the true value was at least this. */
  readonly saturated?: readonly number[];
}

/** Forecast of the next steps. */
export interface Forecast {
  readonly mean: readonly number[];
  /** Bounds that about nine of ten values do not exceed. */
  readonly upper: readonly number[];
}

/**
 * A way to forecast. `fit` is expensive and returns plain data, so that it can run in another thread; `predict` is
 * cheap, and also accepts a series that has grown since the fit. Both depend on their arguments alone. Series shorter
 * than a day, and series of equal values, are accepted: their forecast is the last value.
 */
export interface ForecastModel<P = unknown> {
  readonly name: string;
  fit(series: TimeSeries, random: Random): P;
  predict(fitted: P, series: TimeSeries, steps: number): Forecast;
}

/** Steps of five minutes in a day. */
export const DAY_STEPS = 288;
export const WEEK_STEPS = 7 * DAY_STEPS;

/** Reports whether a step since the Unix epoch, which was a Thursday, is on a Saturday or Sunday in UTC. */
export function isWeekend(step: number): boolean {
  const day = (Math.floor(step / DAY_STEPS) + 4) % 7;
  return day === 0 || day === 6;
}

/** Furthest step whose errors are measured for the upper bound. */
export const MAX_HORIZON = 24;

/** A model with its fitted parameters. */
export interface FittedModel {
  predict(steps: number, series?: TimeSeries): Forecast;
}

export function fitModel<P>(model: ForecastModel<P>, series: TimeSeries, random: Random): FittedModel {
  const fitted = model.fit(series, random);
  return { predict: (steps, recent = series) => model.predict(fitted, recent, steps) };
}
