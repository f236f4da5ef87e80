import type { Random } from '#platform/base/random';

/** Delay after failures in milliseconds. It starts at `first` and doubles up to `max`. */
export interface BackOff {
  readonly first: number;
  readonly max: number;
}

/**
 * Returns the delay after this many failures in a row (1 or more): a random part between half and all of it, so that
 * clients that failed together do not return together.
 */
export function backOffDelay({ first, max }: BackOff, failures: number, random: Random): number {
  const whole = Math.min(max, first * 2 ** Math.min(failures - 1, 52));
  return whole / 2 + (whole / 2) * random.next();
}
