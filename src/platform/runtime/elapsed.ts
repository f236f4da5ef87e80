import type { Clock } from '#platform/base/clock';

/**
 * How long ago something was, on the side of caution: by the clock that never goes back, or by the time of day where
 * that says more, since the former stands still while a machine sleeps.
 */
export class Elapsed {
  readonly #clock: Clock;
  readonly #monotonic: number;
  readonly #now: number;

  /** Begins now. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#now = clock.now();
  }

  /** Never less than what has really passed while the machine was awake. */
  get max(): number {
    return Math.max(this.min, this.#clock.now() - this.#now);
  }

  /** Never more than what has really passed. */
  get min(): number {
    return this.#clock.monotonic() - this.#monotonic;
  }
}
