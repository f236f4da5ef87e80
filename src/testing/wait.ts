import { realClock } from '#platform/base/clock';

/**
 * Time that tests wait for events in real time. A host under load may stall for seconds at any moment, so a shorter
 * time says nothing about the product. Tests may take longer still (vitest.config.ts).
 */
export const WAIT = { timeout: 30_000, interval: 20 };

/** Waits until the check succeeds, for as long as WAIT allows. */
export async function waitUntil(check: () => boolean | Promise<boolean>): Promise<void> {
  const end = realClock.monotonic() + WAIT.timeout;
  while (!(await check())) {
    if (realClock.monotonic() > end) throw new Error(`did not come true: ${check.toString()}`);
    await realClock.sleep(5);
  }
}
