import type { Clock } from '#platform/base/clock';

/**
 * Conservative measure of elapsed time. It uses the monotonic clock, or the time of day where that shows more, since
 * the former stops while a host sleeps.
 */
export class Elapsed {
  readonly #clock: Clock;
  readonly #monotonic: number;
  readonly #now: number;

  /** Starts now. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#now = clock.now();
  }

  /** Upper bound: never less than the time that has really passed while the host was awake. */
  get max(): number {
    return Math.max(this.min, this.#clock.now() - this.#now);
  }

  /** Lower bound: never more than the time that has really passed. */
  get min(): number {
    return this.#clock.monotonic() - this.#monotonic;
  }
}
