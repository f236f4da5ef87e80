import type { StartBlock } from '../../agent/managed-node.ts';
import type { Behavior } from '../behavior.ts';

const PULL_BACK_OFF = 10_000;
const MAX_BACK_OFF = 300_000;
/** Time that the failure itself is shown before the back-off is. */
const SHOWN = 2_000;

/**
 * Returns what prevents a pod from running at a time, from its behavior alone: first the delay, then an image that
 * cannot be pulled. `draw` is the pod's random number from 0 to 1.
 */
export function startBlock(
  behavior: Behavior,
  image: string,
  { seenAt, now, draw }: { seenAt: number; now: number; draw: () => number },
): StartBlock | undefined {
  const { startDelayMs, startJitterMs, fail, failTimes } = behavior;
  const spread = startJitterMs - startDelayMs;
  const begin = seenAt + startDelayMs + (spread > 0 ? spread * draw() : 0);
  if (now < begin) return { waiting: { reason: 'ContainerCreating' }, until: begin };
  if (fail !== 'image-pull') return undefined;
  let attempt = begin;
  for (let failures = 1; failures <= failTimes; failures++) {
    const next = attempt + backOff(failures);
    if (now < next) {
      const shown = Math.min(attempt + SHOWN, next);
      const message = `failed to pull and unpack image "${image}": simulated failure`;
      if (now < shown) return { waiting: { reason: 'ErrImagePull', message }, until: shown };
      const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
      return { waiting, until: next };
    }
    attempt = next;
  }
  return undefined;
}

/** Returns the back-off after this many failures, as in a kubelet. */
export function backOff(failures: number): number {
  return Math.min(MAX_BACK_OFF, PULL_BACK_OFF * 2 ** Math.min(failures - 1, 10));
}
