import type { Random } from '#platform/base/random';
import type { TaskGenerator } from './scenario-spec.ts';

type Distribution = TaskGenerator['cpu'];
type Arrivals = TaskGenerator['arrivals'];

const HOUR = 3_600_000;
/** Number of attempts to draw a value within the bounds. After that it is clamped. */
const ATTEMPTS = 32;

/** Draws a value of a distribution, which is never negative and within its bounds. */
export function draw(distribution: Distribution, random: Random): number {
  const { type, value = 0, mean = 0, stddev = 0, min = 0, max = Number.POSITIVE_INFINITY } = distribution;
  switch (type) {
    case 'constant':
      return value;
    case 'uniform':
      return min + random.next() * (max - min);
    case 'normal':
      return within(min, max, () => random.normal(mean, stddev));
    case 'exponential':
      return within(min, max, () => random.exponential(1 / mean));
  }
}

/** Draws the milliseconds until the next arrival. It is at least 1, so that time advances. */
export function gap({ type, ratePerHour = 1, ...parameters }: Arrivals, random: Random): number {
  const ms = type === 'poisson' ? random.exponential(ratePerHour / HOUR) : draw({ ...parameters, type }, random) * 1000;
  return Math.max(1, ms);
}

function within(min: number, max: number, next: () => number): number {
  let drawn = next();
  for (let i = 0; i < ATTEMPTS && (drawn < min || drawn > max); i++) drawn = next();
  return Math.min(max, Math.max(min, drawn));
}
