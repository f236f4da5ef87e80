export interface Rate {
  /** How many at once. */
  readonly burst: number;
  /** After how many milliseconds another one is allowed. */
  readonly everyMs: number;
}

/** Allows a burst, and then one each time that `everyMs` have passed. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Whether one more is allowed at this time, which never goes back; it then counts. */
  take(now: number): boolean {
    const { burst, everyMs } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#at) / everyMs);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
