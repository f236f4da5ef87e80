import type { Random } from '#platform/base/random';

const INITIAL_SECONDS = 10;
const MAX_SECONDS = 300;

/** Returns the delay in milliseconds after this many consecutive start failures, as KubeVirt computes it. */
export function startBackOff(failures: number, random: Random): number {
  const seconds = INITIAL_SECONDS * failures ** 2;
  return Math.min(seconds * (1 + random.next() / 2), MAX_SECONDS) * 1000;
}
