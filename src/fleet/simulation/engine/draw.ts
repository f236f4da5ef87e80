import type { Random } from '#platform/base/random';
import type { TaskGenerator } from './scenario-spec.ts';

type Distribution = TaskGenerator['cpu'];
type Arrivals = TaskGenerator['arrivals'];

const HOUR = 3_600_000;
/** Draws outside the bounds are drawn again so often; what then still lies outside is put on the bound. */
const ATTEMPTS = 32;

/** One value of a distribution; never negative, and within its bounds. */
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

/** Milliseconds from one arrival to the next; never nothing, so that time goes on. */
export function gap({ type, ratePerHour = 1, ...parameters }: Arrivals, random: Random): number {
  const ms = type === 'poisson' ? random.exponential(ratePerHour / HOUR) : draw({ ...parameters, type }, random) * 1000;
  return Math.max(1, ms);
}

function within(min: number, max: number, next: () => number): number {
  let drawn = next();
  for (let i = 0; i < ATTEMPTS && (drawn < min || drawn > max); i++) drawn = next();
  return Math.min(max, Math.max(min, drawn));
}
