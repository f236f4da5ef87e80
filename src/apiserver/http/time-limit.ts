import type { Clock } from '../../base/clock.ts';

/** A signal that is aborted with another, which is so in the end, or after so many seconds; without limit where none. */
export function timeLimit(clock: Pick<Clock, 'timer'>, seconds: number, signal: AbortSignal): AbortSignal {
  if (seconds <= 0) return signal;
  const over = new AbortController();
  const timer = clock.timer(seconds * 1000, () => over.abort());
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
  return AbortSignal.any([signal, over.signal]);
}
