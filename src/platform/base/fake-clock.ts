import { assertNumber, type Clock, cancellable, sleepBy, type Timer } from './clock.ts';
import { nextTurn } from './next-turn.ts';
import { TimerQueue } from './timer-queue.ts';

export interface FakeClockOptions {
  /** Time of day at which the clock starts, in milliseconds since 1970. */
  readonly start?: number;
  /** Number of event loop turns to wait before time advances. Work that itself takes turns needs more than one. */
  readonly turns?: number;
}

/**
 * Clock that advances only on request. Timers fire in the order they are due, those due at the same time in the order
 * they were created. Between two timers, all promise chains that can continue do so, so a wait that starts because of a
 * timer is part of the same advance. The order is reproducible as long as the program waits only for promises and this
 * clock; work outside the event loop (disk, sockets, threads) must be bracketed by hold().
 */
export class FakeClock implements Clock {
  readonly #queue = new TimerQueue();
  readonly #start: number;
  readonly #turns: number;
  #elapsed = 0;
  #holds = 0;
  #moving = false;
  #wake: (() => void) | undefined;

  constructor({ start = 0, turns = 1 }: FakeClockOptions = {}) {
    this.#start = start;
    this.#turns = turns;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal);
  }

  timer(ms: number, fn: () => void): Timer {
    assertNumber(ms);
    const entry = this.#queue.add(this.#elapsed + Math.max(ms, 0), fn);
    this.#wake?.();
    return cancellable(() => this.#queue.cancel(entry));
  }

  /** Number of pending timers, including sleeps. */
  get pending(): number {
    return this.#queue.size;
  }

  /** Stops time until the hold is disposed, while real work is in progress. */
  hold(): Disposable {
    this.#holds++;
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#holds--;
        held = false;
        this.#wake?.();
      },
    };
  }

  /** Advances time by `ms` and fires all timers that become due. */
  advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`time only moves forward, not by ${ms} ms`);
    return this.#move(this.#elapsed + ms);
  }

  /** Advances time to a time of day and fires all timers that become due. */
  advanceTo(time: number): Promise<void> {
    return this.advance(time - this.now());
  }

  /**
   * Runs time as fast as possible: it jumps to the next timer whenever nothing else can run. It ends at the given time
   * of day, or when the given signal is aborted; until then it waits for new timers.
   */
  run(until: number | AbortSignal): Promise<void> {
    if (typeof until === 'number') return this.advanceTo(until);
    return this.#move(Number.POSITIVE_INFINITY, until);
  }

  async #move(target: number, signal?: AbortSignal): Promise<void> {
    if (this.#moving) throw new Error('the clock is already being moved');
    this.#moving = true;
    const wake = (): void => this.#wake?.();
    signal?.addEventListener('abort', wake);
    try {
      await this.#fireUntil(target, signal);
      if (signal === undefined) this.#elapsed = target;
    } finally {
      signal?.removeEventListener('abort', wake);
      this.#moving = false;
    }
  }

  async #fireUntil(target: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      await this.#idle();
      if (signal?.aborted) return;
      if (this.#holds > 0) {
        await this.#woken();
        continue;
      }
      const next = this.#queue.peek();
      if (next !== undefined && next.due <= target && next.due !== Number.POSITIVE_INFINITY) {
        this.#queue.take();
        this.#elapsed = next.due;
        next.fn();
      } else if (signal === undefined) return;
      else await this.#woken();
    }
  }

  async #idle(): Promise<void> {
    for (let turn = 0; turn < this.#turns; turn++) await new Promise<void>((resolve) => nextTurn(resolve));
  }

  async #woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
