import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import { GENERATORS } from '#vm/forecast/generators';
import { type Forecast, type ForecastModel, fitModel, WEEK_STEPS } from '#vm/forecast/model';
import { MODEL_NAMES, MODELS } from '#vm/forecast/models';
import { dayAverage, lastValue, yesterday } from '#vm/forecast/naive';

/** Seeds that no choice in the models was made with. */
const SEEDS = Array.from({ length: 20 }, (_, i) => `held out ${i}`);
const HORIZON = 12;
/** 5 January 1970 was a Monday. */
const FIRST = 4 * 288;
const ORIGIN_STEPS = 36;
const TEST_STEPS = 2 * 288;
const LENGTH = WEEK_STEPS + 2 * 288;

interface Score {
  error: number;
  count: number;
  covered: number;
  fitMs: number;
}

/** Judges every model on every generator: a fit on a week, then forecasts of an hour from every third hour of two days. */
export async function run(): Promise<void> {
  const models: readonly ForecastModel[] = [
    lastValue,
    yesterday,
    dayAverage,
    ...MODEL_NAMES.map((name) => MODELS[name]),
  ];
  for (const [name, generate] of Object.entries(GENERATORS)) {
    const scores = new Map(models.map((model) => [model, { error: 0, count: 0, covered: 0, fitMs: 0 }]));
    for (const seed of SEEDS) {
      const values = generate(LENGTH, seededRandom(seed).fork(name));
      for (const model of models) judge(model, values, scores.get(model) as Score, seed);
    }
    print(name, scores);
  }
}

function judge(model: ForecastModel, values: readonly number[], score: Score, seed: string): void {
  const begun = realClock.monotonic();
  const fitted = fitModel(model, { values: values.slice(0, WEEK_STEPS), first: FIRST }, seededRandom(seed));
  score.fitMs = Math.max(score.fitMs, realClock.monotonic() - begun);
  for (let origin = WEEK_STEPS; origin + HORIZON <= WEEK_STEPS + TEST_STEPS; origin += ORIGIN_STEPS) {
    // A pool keeps a week, so the oldest values are gone.
    const forecast = fitted.predict(HORIZON, { values: values.slice(0, origin), first: FIRST });
    add(score, forecast, values.slice(origin, origin + HORIZON));
  }
}

function add(score: Score, { mean, upper }: Forecast, actual: readonly number[]): void {
  for (const [i, value] of actual.entries()) {
    score.error += Math.abs(value - (mean[i] ?? 0));
    score.count += 1;
    if (value <= (upper[i] ?? 0)) score.covered += 1;
  }
}

function print(name: string, scores: ReadonlyMap<ForecastModel, Score>): void {
  const errorOf = (model: ForecastModel) => {
    const { error, count } = scores.get(model) as Score;
    return error / count;
  };
  const better = Math.min(errorOf(lastValue), errorOf(yesterday));
  const gate = Math.min(better, errorOf(dayAverage));
  for (const [model, { covered, count, fitMs }] of scores) {
    const ratio = errorOf(model) / better;
    const text = `ratio ${ratio.toFixed(2)}, of all naive ${(errorOf(model) / gate).toFixed(2)}, coverage ${((100 * covered) / count).toFixed(0)} %`;
    console.log(`  ${name.padEnd(20)} ${model.name.padEnd(12)} ${text}, longest fit ${fitMs.toFixed(0)} ms`);
  }
}
