import type { Clock } from '#platform/base/clock';

const LOOK_EVERY_MS = 60_000;
const RETRY_MS = 2000;

/** Polls something that changes now and then, until the signal is aborted. It retries sooner after a failure. */
export async function poll(
  clock: Clock,
  signal: AbortSignal,
  look: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    let pause = LOOK_EVERY_MS;
    try {
      await look();
    } catch (error) {
      pause = RETRY_MS;
      if (!signal.aborted) onFailure(error);
    }
    await clock.sleep(pause, signal).catch(() => {});
  }
}
