import type { Random } from '#platform/base/random';
import { dayProfile } from './day-profile.ts';
import { addGradient, type LstmShape, randomWeights, runLstm } from './lstm-cell.ts';
import { DAY_STEPS, type ForecastModel, MAX_HORIZON, type TimeSeries } from './model.ts';
import { errorsOf, withUpper } from './upper-bound.ts';

/** Weights of a network that predicts the deviation from the course of a day, in units of `scale`. */
export interface LstmFit {
  readonly weights: readonly number[];
  readonly scale: number;
  readonly errors: readonly number[];
}

const WINDOW = 24;
const SHAPE: LstmShape = { inputs: 4, hidden: 6, outputs: MAX_HORIZON };
const EPOCHS = 12;
const BATCH = 16;
const STRIDE = 6;
const RATE = 0.01;
const CLIP = 3;

/** A small recurrent network, trained on windows of two hours with Adam. It is seeded, so that equal fits are equal. */
export const lstm: ForecastModel<LstmFit> = {
  name: 'lstm',
  fit(series, random) {
    const { inputs, rest, scale } = prepare(series);
    const weights = randomWeights(SHAPE, random);
    if (rest.length >= DAY_STEPS) train(weights, inputs, rest, random);
    else weights.fill(0);
    const errors = errorsOf(series.values, (past, steps) => means(weights, scale, { ...series, values: past }, steps));
    return { weights: [...weights], scale, errors };
  },
  predict: ({ weights, scale, errors }, series, steps) =>
    withUpper(means(Float64Array.from(weights), scale, series, steps), errors),
};

function prepare(series: TimeSeries, known?: number) {
  const { values, first } = series;
  const profile = dayProfile(series);
  const raw = values.map((value, i) => value - profile.at(i));
  const scale =
    known ?? Math.max(1e-9, Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0) / Math.max(1, raw.length)));
  const rest = Float64Array.from(raw, (value) => Math.max(-CLIP, Math.min(CLIP, value / scale)));
  const inputs = [...rest].map((value, i) => {
    const phase = (2 * Math.PI * ((first + i) % DAY_STEPS)) / DAY_STEPS;
    const hour = rest.slice(Math.max(0, i - 11), i + 1);
    const average = hour.reduce((sum, each) => sum + each, 0) / hour.length;
    return Float64Array.of(value, average, Math.sin(phase), Math.cos(phase));
  });
  return { profile, inputs, rest, scale };
}

function train(weights: Float64Array, inputs: readonly Float64Array[], rest: Float64Array, random: Random): void {
  const ends: number[] = [];
  for (let end = WINDOW; end + MAX_HORIZON <= rest.length; end += STRIDE) ends.push(end);
  const adam = { mean: new Float64Array(weights.length), square: new Float64Array(weights.length), time: 0 };
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const order = random.shuffle(ends);
    const rate = RATE * (1 - epoch / EPOCHS);
    for (let at = 0; at < order.length; at += BATCH) {
      const gradient = new Float64Array(weights.length);
      const batch = order.slice(at, at + BATCH);
      for (const end of batch) {
        const run = runLstm(SHAPE, weights, inputs.slice(end - WINDOW, end));
        const slopes = run.outputs.map(
          (output, o) => slopeOf(output + baseOf(inputs, end) - (rest[end + o] as number)) / batch.length,
        );
        addGradient(SHAPE, weights, run, slopes, gradient);
      }
      descend(weights, gradient, adam, rate);
    }
  }
}

/** Average of the last hour, to which the network only adds a correction. */
const baseOf = (inputs: readonly Float64Array[], end: number): number => inputs[end - 1]?.[1] ?? 0;

/** Huber's loss: far values pull no more than near ones. */
const slopeOf = (miss: number): number => Math.max(-1, Math.min(1, miss));

function descend(
  weights: Float64Array,
  gradient: Float64Array,
  adam: { readonly mean: Float64Array; readonly square: Float64Array; time: number },
  rate: number,
): void {
  adam.time += 1;
  const [unbiasedMean, unbiasedSquare] = [1 - 0.9 ** adam.time, 1 - 0.999 ** adam.time];
  for (let i = 0; i < weights.length; i++) {
    const slope = (gradient[i] as number) + 1e-4 * (weights[i] as number);
    adam.mean[i] = 0.9 * (adam.mean[i] as number) + 0.1 * slope;
    adam.square[i] = 0.999 * (adam.square[i] as number) + 0.001 * slope * slope;
    const step =
      (adam.mean[i] as number) / unbiasedMean / (Math.sqrt((adam.square[i] as number) / unbiasedSquare) + 1e-8);
    weights[i] = (weights[i] as number) - rate * step;
  }
}

function means(weights: Float64Array, scale: number, series: TimeSeries, steps: number): number[] {
  const { values } = series;
  const { profile, inputs } = prepare(series, scale);
  const base = baseOf(inputs, inputs.length);
  const { outputs } = runLstm(SHAPE, weights, inputs.slice(-WINDOW));
  return Array.from(
    { length: steps },
    (_, i) => profile.at(values.length + i) + scale * (base + (outputs[Math.min(i, MAX_HORIZON - 1)] ?? 0)),
  );
}
