import type { Clock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import { formatDurationFlag } from '#programs/cli/duration-option';

export interface TimeLimit {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ms: number;
  /** What is not as it should be when the time is over, and what the user can do. */
  readonly late: () => { readonly what: string; readonly hint: string };
}

/** Runs something that ends by a signal; where that was the time, it fails with what was waited for. */
export async function withTimeout(
  { clock, signal, ms, late }: TimeLimit,
  run: (ended: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const timer = clock.timer(ms, () => over.abort());
  try {
    await run(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    if (!over.signal.aborted) throw error;
    const { what, hint } = late();
    throw new VimanaError('TIMEOUT', `waited ${formatDurationFlag(ms)}, and ${what}`, { hint, cause: error });
  } finally {
    timer.cancel();
  }
}
