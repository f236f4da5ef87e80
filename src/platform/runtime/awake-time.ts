import type { Clock } from '#platform/base/clock';

/** Interval at which a process checks that it still runs. */
export const TICK_MS = 1000;

/**
 * Milliseconds in which this process ran, read at least once per tick, for example by `keep`. A gap between two reads
 * counts as one tick, because a stalled or suspended process must not mistake its own silence for that of others.
 */
export class AwakeTime {
  readonly #clock: Clock;
  #readAt: number;
  #awake = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#readAt = clock.monotonic();
  }

  now(): number {
    const at = this.#clock.monotonic();
    const gap = at - this.#readAt;
    this.#readAt = at;
    this.#awake += gap > 2 * TICK_MS ? TICK_MS : gap;
    // The value is floored, because waiting for the rest of a sum of fractions could mean waiting for less than a clock
    // shows.
    return Math.floor(this.#awake);
  }

  /** Reads once per tick until the signal is aborted. */
  keep(signal: AbortSignal): this {
    const tick = (): void => {
      if (signal.aborted) return;
      this.now();
      timer = this.#clock.timer(TICK_MS, tick);
    };
    let timer = this.#clock.timer(TICK_MS, tick);
    signal.addEventListener('abort', () => timer.cancel(), { once: true });
    return this;
  }
}
