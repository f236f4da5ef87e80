import { median } from './day-profile.ts';
import { leastSquares } from './least-squares.ts';
import { DAY_STEPS, type ForecastModel, isWeekend, type TimeSeries, WEEK_STEPS } from './model.ts';
import { errorsOf, withUpper } from './upper-bound.ts';

/** Coefficients of a regression on trend and seasons, and how fast its last errors fade. */
export interface ProphetFit {
  readonly length: number;
  readonly scale: number;
  readonly coefficients: readonly number[];
  readonly smoothing: number;
  readonly fading: number;
  readonly errors: readonly number[];
}

const CHANGE_POINTS = 8;
const DAILY_TERMS = 10;
const WEEKEND_TERMS = 4;
/** Changes of the trend are rare, and steep seasons too. */
const TREND_PENALTY = 4;
const SEASON_PENALTY = 0.5;

/**
 * Regression on a trend that bends at fixed points and on Fourier terms of day and week, as Prophet has it. Huber's
 * weights keep spikes from bending it, and its recent errors correct the next steps.
 */
export const prophet: ForecastModel<ProphetFit> = {
  name: 'prophet',
  fit(series) {
    const { values } = series;
    const scale = Math.max(1e-9, median(values.map(Math.abs)));
    const length = values.length;
    const shape = { length, scale, coefficients: robustFit(series, scale) };
    const residuals = values.map((value, i) => value - valueAt(shape, series.first, i));
    const faded = bestFading(residuals);
    const fitted = { ...shape, ...faded };
    const errors = errorsOf(values, (past, steps) => means(fitted, { ...series, values: past }, steps));
    return { ...fitted, errors };
  },
  predict: (fitted, series, steps) => withUpper(means(fitted, series, steps), fitted.errors),
};

type Shape = Pick<ProphetFit, 'length' | 'scale' | 'coefficients'>;

function featuresAt(length: number, first: number, index: number): Float64Array {
  const time = index / Math.max(1, length);
  const hasWeek = length >= WEEK_STEPS;
  const daily = length >= 1.5 * DAY_STEPS ? DAILY_TERMS : 0;
  const features = [1, time];
  for (let i = 1; i <= CHANGE_POINTS; i++) features.push(Math.max(0, time - (0.9 * i) / (CHANGE_POINTS + 1)));
  const waves = (terms: number, period: number) => {
    const phase = (2 * Math.PI * ((first + index) % period)) / period;
    for (let k = 1; k <= terms; k++) features.push(Math.sin(k * phase), Math.cos(k * phase));
  };
  waves(daily, DAY_STEPS);
  if (hasWeek) {
    // Weekends have a course of their own, of fewer terms because there are fewer of them.
    const before = features.length;
    features.push(1);
    waves(WEEKEND_TERMS, DAY_STEPS);
    if (!isWeekend(first + index)) features.fill(0, before);
  }
  return Float64Array.from(features);
}

/** Fits, and then again with less weight on values that are far away. */
function robustFit({ values, first }: TimeSeries, scale: number): number[] {
  const rows = values.map((_, i) => featuresAt(values.length, first, i));
  const targets = values.map((value) => value / scale);
  const columns = rows[0]?.length ?? 2;
  const penalty = Array.from({ length: columns }, (_, i) =>
    i < 2 ? 1e-6 : i < 2 + CHANGE_POINTS ? TREND_PENALTY : SEASON_PENALTY,
  );
  let weights: Float64Array | undefined;
  let coefficients = new Float64Array(columns);
  for (let round = 0; round < 3; round++) {
    coefficients = Float64Array.from(leastSquares(rows, targets, penalty, weights));
    const misses = rows.map((row, i) => Math.abs((targets[i] ?? 0) - dot(row, coefficients)));
    const typical = 1.5 * median(misses) + 1e-9;
    weights = Float64Array.from(misses, (miss) => Math.min(1, (2 * typical) / Math.max(miss, 1e-12)));
  }
  return [...coefficients];
}

function dot(row: Float64Array, coefficients: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += (row[i] as number) * (coefficients[i] as number);
  return sum;
}

const valueAt = ({ length, scale, coefficients }: Shape, first: number, index: number): number =>
  scale * dot(featuresAt(length, first, index), coefficients);

const SMOOTHINGS = [0, 0.1, 0.25, 0.5, 0.9];
const FADINGS = [0.8, 0.95, 0.99, 1];
const LOOKED_AHEAD = 8;

/** Chooses how the last errors correct the next steps: by their average, which fades. */
function bestFading(residuals: readonly number[]): { smoothing: number; fading: number } {
  let best = { cost: Number.POSITIVE_INFINITY, smoothing: 0, fading: 1 };
  for (const smoothing of SMOOTHINGS) {
    for (const fading of FADINGS) {
      let [level, cost] = [0, 0];
      for (let i = 0; i + LOOKED_AHEAD < residuals.length; i++) {
        level += smoothing * (clipResidual(residuals, i) - level);
        cost += Math.abs((residuals[i + LOOKED_AHEAD] ?? 0) - level * fading ** LOOKED_AHEAD);
      }
      if (cost < best.cost) best = { cost, smoothing, fading };
    }
  }
  return { smoothing: best.smoothing, fading: best.fading };
}

/** A value that is far from both neighbors is a spike, and counts as the nearer of them. */
function clipResidual(residuals: readonly number[], i: number): number {
  const near = [residuals[i - 2] ?? 0, residuals[i - 1] ?? 0, residuals[i] ?? 0];
  return median(near);
}

const MEMORY = 120;

function means(fitted: Omit<ProphetFit, 'errors'>, { values, first }: TimeSeries, steps: number): number[] {
  const start = Math.max(0, values.length - MEMORY);
  const residuals = values.slice(start).map((value, i) => value - valueAt(fitted, first, start + i));
  let level = 0;
  for (let i = 0; i < residuals.length; i++) level += fitted.smoothing * (clipResidual(residuals, i) - level);
  return Array.from(
    { length: steps },
    (_, i) => valueAt(fitted, first, values.length + i) + level * fitted.fading ** (i + 1),
  );
}
