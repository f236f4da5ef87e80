import type { Random } from '#platform/base/random';

const INITIAL_SECONDS = 10;
const MAX_SECONDS = 300;

/** How long to wait after so many instances in a row have ended before they ran, in milliseconds, as KubeVirt has it. */
export function startBackOff(failures: number, random: Random): number {
  const seconds = INITIAL_SECONDS * failures ** 2;
  return Math.min(seconds * (1 + random.next() / 2), MAX_SECONDS) * 1000;
}
