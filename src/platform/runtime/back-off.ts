import type { Random } from '#platform/base/random';

/** How long to wait after failures: `first`, then ever twice as long, at most `most`; milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly max: number;
}

/** The wait after this many failures in a row (1 or more): a random part between half and all of it, so that those who failed together do not return together. */
export function backOffDelay({ first, max }: BackOff, failures: number, random: Random): number {
  const whole = Math.min(max, first * 2 ** Math.min(failures - 1, 52));
  return whole / 2 + (whole / 2) * random.next();
}
