export interface Rate {
  /** Maximum burst. */
  readonly burst: number;
  /** Interval in milliseconds after which another one is allowed. */
  readonly everyMs: number;
}

/** Allows a burst, and then one per `everyMs`. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Takes a token if one is available at this time, which never goes back, and returns whether it did. */
  take(now: number): boolean {
    const { burst, everyMs } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#at) / everyMs);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
