import type { Clock, Timer } from '#platform/base/clock';

export interface DownloadTimeouts {
  /** Maximum time without progress. */
  readonly idleMs: number;
  /** Maximum total time. */
  readonly allMs: number;
}

/** Aborts a download when there is no progress for a while, or when it takes too long in total. */
export class DownloadTimeout implements Disposable {
  readonly #lost = new AbortController();
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #all: Timer;
  #idle: Timer;
  #last: number;

  constructor(clock: Clock, { idleMs, allMs }: DownloadTimeouts) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#last = clock.monotonic();
    this.#idle = this.#check(idleMs);
    this.#all = clock.timer(allMs, () => this.#lose(`timeout after ${allMs / 60_000} minutes`));
  }

  /** Signal that is aborted on a timeout, with an Error that states the reason. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Records progress. */
  renew(): void {
    this.#last = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#idle.cancel();
    this.#all.cancel();
  }

  /** Checks the last progress with a single timer, instead of one timer for each. */
  #check(ms: number): Timer {
    return this.#clock.timer(ms, () => {
      const left = this.#last + this.#idleMs - this.#clock.monotonic();
      if (left <= 0) this.#lose(`no data received for ${this.#idleMs / 1000}s`);
      else this.#idle = this.#check(left);
    });
  }

  #lose(why: string): void {
    this.#lost.abort(new Error(why));
    this[Symbol.dispose]();
  }
}
