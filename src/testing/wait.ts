import { realClock } from '#platform/base/clock';

/**
 * How long tests wait for what happens in real time: a machine under load stands still for seconds at any moment, so
 * less than this says nothing of the product. Tests may take longer still (vitest.config.ts).
 */
export const WAIT = { timeout: 30_000, interval: 20 };

/** Waits for something to come true, for as long as PATIENCE has it. */
export async function waitUntil(check: () => boolean | Promise<boolean>): Promise<void> {
  const end = realClock.monotonic() + WAIT.timeout;
  while (!(await check())) {
    if (realClock.monotonic() > end) throw new Error(`did not come true: ${check.toString()}`);
    await realClock.sleep(5);
  }
}
