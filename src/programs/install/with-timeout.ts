import type { Clock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import { formatDurationFlag } from '#programs/cli/duration-option';

export interface TimeLimit {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ms: number;
  /** Returns the state that the timeout reports, and a hint for the user. */
  readonly late: () => { readonly what: string; readonly hint: string };
}

/** Runs a function with a signal. If the timeout aborts it, the error says what was waited for. */
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
    throw new VimanaError('TIMEOUT', `timed out after ${formatDurationFlag(ms)}: ${what}`, { hint, cause: error });
  } finally {
    timer.cancel();
  }
}
