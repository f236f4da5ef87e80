import { seededRandom } from '#platform/base/random';

export interface WalkShape {
  readonly mean: number;
  /** Standard deviation of one step. */
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly seed: string;
}

/** Binary logarithm of the walk's length in steps since the Unix epoch: 2^34 seconds are 544 years. */
const LEVELS = 34;

/**
 * Returns the position of a random walk after a number of steps, deterministic for a seed. It draws both ends of an
 * interval, then its middle given the ends, and so on down to the step (Brownian bridge).
 */
export function walkAt({ mean, step, min, max, seed }: WalkShape, steps: number): number {
  const random = seededRandom(seed);
  let [start, length] = [0, 2 ** LEVELS];
  let [left, right] = [0, random.fork('end').normal(0, Math.sqrt(length))];
  const whole = Math.floor(steps);
  while (length > 1) {
    length /= 2;
    const middle = start + length;
    const between = (left + right) / 2 + random.fork(`${middle}`).normal(0, Math.sqrt(length / 2));
    if (whole < middle) right = between;
    else [start, left] = [middle, between];
  }
  return reflect(mean + step * (left + (right - left) * (steps - whole)), min, max);
}

/** Reflects values beyond the bounds back between them. */
function reflect(value: number, min: number, max: number): number {
  const width = max - min;
  const over = (((value - min) % (2 * width)) + 2 * width) % (2 * width);
  return min + (over <= width ? over : 2 * width - over);
}
