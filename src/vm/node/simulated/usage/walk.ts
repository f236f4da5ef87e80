import { seededRandom } from '#platform/base/random';

export interface WalkShape {
  readonly mean: number;
  /** How far one step goes, as a standard deviation. */
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly seed: string;
}

/** So many steps, from 1970 on, are one stretch of the walk: 2^34 of them at one a second are 544 years. */
const LEVELS = 34;

/**
 * Where a random walk is after a number of steps, without taking them: both ends of a stretch are drawn, then its
 * middle given the ends, and so on down to the step (Brownian bridge). The same seed is always at the same place.
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

/** Reflects what is beyond the bounds back between them. */
function reflect(value: number, min: number, max: number): number {
  const width = max - min;
  const over = (((value - min) % (2 * width)) + 2 * width) % (2 * width);
  return min + (over <= width ? over : 2 * width - over);
}
