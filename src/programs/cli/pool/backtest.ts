import type { Random } from '#platform/base/random';
import type { PoolHistory } from '#vm/dialects/novacron/pool/pool-history';
import { DAY_STEPS, type ForecastModel, fitModel, type TimeSeries } from '#vm/forecast/model';
import { MODEL_NAMES, MODELS } from '#vm/forecast/models';
import { NAIVE_MODELS } from '#vm/forecast/naive';
import { formatTable } from '../format-table.ts';

const HOUR_STEPS = 12;
const STEP_MS = 300_000;

/** Fits every model to the older two thirds of each metric, and compares its forecasts of an hour with the rest. */
export function formatBacktest({ demand }: PoolHistory, random: Random): string {
  const rows = Object.entries(demand).flatMap(([metric, { start, values }]) => {
    const series = { values, first: Math.round(start / STEP_MS) };
    if (values.length < 2 * DAY_STEPS) return [];
    const models = [...NAIVE_MODELS, ...MODEL_NAMES.map((name) => MODELS[name])] as readonly ForecastModel[];
    return models.map((model) => {
      const { error, coverage } = judge(model, series, random);
      return [metric, model.name, `${(100 * error).toFixed(1)}%`, `${(100 * coverage).toFixed(0)}%`];
    });
  });
  if (rows.length === 0) {
    return 'a backtest needs two days of demand, which a pool records while predictive scaling is enabled\n';
  }
  return formatTable(['METRIC', 'MODEL', 'ERROR', 'COVERAGE'], rows);
}

function judge(model: ForecastModel, series: TimeSeries, random: Random) {
  const { values, first } = series;
  const split = Math.floor((2 * values.length) / 3);
  const fitted = fitModel(model, { values: values.slice(0, split), first }, random.fork(model.name));
  let [missed, total, covered, count] = [0, 0, 0, 0];
  for (let origin = split; origin + HOUR_STEPS <= values.length; origin += HOUR_STEPS) {
    const { mean, upper } = fitted.predict(HOUR_STEPS, { values: values.slice(0, origin), first });
    for (let i = 0; i < HOUR_STEPS; i++) {
      const actual = values[origin + i] ?? 0;
      missed += Math.abs(actual - (mean[i] ?? 0));
      total += actual;
      covered += actual <= (upper[i] ?? 0) ? 1 : 0;
      count += 1;
    }
  }
  return { error: total === 0 ? 0 : missed / total, coverage: count === 0 ? 0 : covered / count };
}
