import type { Clock } from '#platform/base/clock';

/** How often a process looks whether it still runs. */
export const TICK_MS = 1000;

/**
 * Milliseconds in which this process ran. A process that was stalled or suspended has heard nothing meanwhile, and must
 * not take its own silence for that of others: a gap between two reads counts as one tick. Somebody has to read at least
 * once a tick, or has `keep` do it.
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
    // Whole ones: whoever waits for the rest of a sum of fractions might wait for less than a clock can tell.
    return Math.floor(this.#awake);
  }

  /** Reads once a tick until the signal is aborted. */
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
