import type { StartBlock } from '../../agent/managed-node.ts';
import type { Behaviour } from '../behaviour.ts';

const PULL_BACK_OFF = 10_000;
const MAX_BACK_OFF = 300_000;
/** How long the failure itself shows before the wait for the next attempt does. */
const SHOWN = 2_000;

/**
 * What keeps a pod from running at a time, from its behaviour alone: first the delay, then an image that cannot be pulled.
 * `draw` is a number from 0 to 1 that belongs to the pod.
 */
export function startBlock(
  behaviour: Behaviour,
  image: string,
  { seenAt, now, draw }: { seenAt: number; now: number; draw: () => number },
): StartBlock | undefined {
  const { startDelayMs, startJitterMs, fail, failTimes } = behaviour;
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

/** The wait after this many failures, as a kubelet has it. */
export function backOff(failures: number): number {
  return Math.min(MAX_BACK_OFF, PULL_BACK_OFF * 2 ** Math.min(failures - 1, 10));
}
