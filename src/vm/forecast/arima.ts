import { dayProfile } from './day-profile.ts';
import { leastSquares } from './least-squares.ts';
import { type ForecastModel, MAX_HORIZON, type TimeSeries } from './model.ts';
import { errorsOf, withUpper } from './upper-bound.ts';

/** Coefficients of an ARMA process for the deviation from the course of a day. */
export interface ArimaFit {
  readonly ar: readonly number[];
  readonly ma: readonly number[];
  readonly errors: readonly number[];
}

/** Length of the autoregression that estimates the innovations. */
const LONG_AR = 24;
const MAX_ORDER = { p: 3, q: 2 };
/** Deviations beyond this many typical ones are cut, so that a spike does not echo. */
const CLIP = 4;

/**
 * ARIMA with a seasonal component: a trend and the course of a day are removed, and Hannan and Rissanen's two
 * regressions fit ARMA(p, q) to the rest, with the orders that Akaike's criterion prefers.
 */
export const arima: ForecastModel<ArimaFit> = {
  name: 'arima',
  fit(series) {
    const rest = deviations(series);
    const coefficients = bestOrders(rest);
    const errors = errorsOf(series.values, (past, steps) => means(coefficients, { ...series, values: past }, steps));
    return { ...coefficients, errors };
  },
  predict: (fitted, series, steps) => withUpper(means(fitted, series, steps), fitted.errors),
};

function deviations(series: TimeSeries): Float64Array {
  const profile = dayProfile(series);
  const rest = Float64Array.from(series.values, (value, i) => value - profile.at(i));
  const typical = Math.sqrt(rest.reduce((sum, value) => sum + value * value, 0) / Math.max(1, rest.length));
  return rest.map((value) => Math.max(-CLIP * typical, Math.min(CLIP * typical, value)));
}

type Coefficients = Pick<ArimaFit, 'ar' | 'ma'>;

function bestOrders(rest: Float64Array): Coefficients {
  if (rest.length < 4 * LONG_AR) return { ar: [1], ma: [] };
  const long = regress(rest, new Float64Array(rest.length), LONG_AR, 0);
  const innovations = residualsOf(rest, new Float64Array(rest.length), long);
  let best = { criterion: Number.POSITIVE_INFINITY, found: long };
  for (let p = 1; p <= MAX_ORDER.p; p++) {
    for (let q = 0; q <= MAX_ORDER.q; q++) {
      const found = regress(rest, innovations, p, q);
      const left = residualsOf(rest, innovations, found);
      const variance = left.reduce((sum, value) => sum + value * value, 1e-9) / left.length;
      const criterion = rest.length * Math.log(variance) + 2 * (p + q);
      if (criterion < best.criterion) best = { criterion, found };
    }
  }
  return best.found;
}

function regress(rest: Float64Array, innovations: Float64Array, p: number, q: number): Coefficients {
  const rows: Float64Array[] = [];
  const targets: number[] = [];
  for (let t = LONG_AR; t < rest.length; t++) {
    const row = new Float64Array(p + q);
    for (let i = 0; i < p; i++) row[i] = rest[t - 1 - i] as number;
    for (let i = 0; i < q; i++) row[p + i] = innovations[t - 1 - i] as number;
    rows.push(row);
    targets.push(rest[t] as number);
  }
  const penalty = Array.from({ length: p + q }, () => 1e-6 * rows.length);
  const solution = [...leastSquares(rows, targets, penalty)];
  return { ar: solution.slice(0, p), ma: solution.slice(p) };
}

function residualsOf(rest: Float64Array, innovations: Float64Array, { ar, ma }: Coefficients): Float64Array {
  return rest.map((value, t) => {
    let expected = 0;
    for (const [i, weight] of ar.entries()) expected += weight * (rest[t - 1 - i] ?? 0);
    for (const [i, weight] of ma.entries()) expected += weight * (innovations[t - 1 - i] ?? 0);
    return value - expected;
  });
}

/** Length of the past from which the innovations are computed again. */
const MEMORY = 120;

function means({ ar, ma }: Coefficients, series: TimeSeries, steps: number): number[] {
  const { values } = series;
  const profile = dayProfile(series);
  const rest = [...deviations(series).slice(-MEMORY)];
  const innovations: number[] = [];
  const expected = (t: number) =>
    ar.reduce((sum, weight, i) => sum + weight * (rest[t - 1 - i] ?? 0), 0) +
    ma.reduce((sum, weight, i) => sum + weight * (innovations[t - 1 - i] ?? 0), 0);
  for (let t = 0; t < rest.length; t++) innovations.push((rest[t] ?? 0) - expected(t));
  return Array.from({ length: steps }, (_, i) => {
    const next = expected(rest.length);
    rest.push(next);
    innovations.push(0);
    return profile.at(values.length + i) + (i < MAX_HORIZON || Math.abs(next) < 1e9 ? next : 0);
  });
}
