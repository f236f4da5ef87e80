import type { Clock, Timer } from '#platform/base/clock';

/** How long somebody is waited for. */
export interface DownloadTimeouts {
  /** Without a sign of life. */
  readonly idleMs: number;
  /** Altogether. */
  readonly allMs: number;
}

/** Is lost when nothing has happened for a while, or when it has taken too long altogether. */
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
    this.#all = clock.timer(allMs, () => this.#lose(`it takes longer than ${allMs / 60_000} minutes`));
  }

  /** Aborted, with an Error that says why, when it is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Something has happened. */
  renew(): void {
    this.#last = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#idle.cancel();
    this.#all.cancel();
  }

  /** One timer that looks back, instead of one for every sign of life. */
  #check(ms: number): Timer {
    return this.#clock.timer(ms, () => {
      const left = this.#last + this.#idleMs - this.#clock.monotonic();
      if (left <= 0) this.#lose(`nothing came for ${this.#idleMs / 1000} s`);
      else this.#idle = this.#check(left);
    });
  }

  #lose(why: string): void {
    this.#lost.abort(new Error(why));
    this[Symbol.dispose]();
  }
}
