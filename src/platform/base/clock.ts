import { nextTurn } from './next-turn.ts';

/** Cancels a timer. Cancelling it twice, or after it has fired, does nothing. */
export interface Timer extends Disposable {
  cancel(): void;
}

/**
 * The only source of time. Code that waits or reads the time gets a clock injected, so that tests and simulations can
 * control time.
 */
export interface Clock {
  /**
   * Returns the time of day in milliseconds since 1970 (UTC). It may jump when the clock is set, so use it for display
   * and not for measuring.
   */
  now(): number;

  /** Returns the milliseconds since an arbitrary moment, for measuring. It never goes back. */
  monotonic(): number;

  /**
   * Returns the milliseconds since an arbitrary moment, including the time the whole host slept, which `monotonic`
   * leaves out. It is coarser and costs more, and is absent on clocks where nothing sleeps.
   */
  uptime?(): number;

  /**
   * Resolves once at least `ms` have passed, and never within the call itself. Rejects with the signal's reason as soon
   * as the signal is aborted, at once if it already is. Zero or less waits for one turn; Infinity waits for the signal
   * alone. NaN throws a RangeError.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /**
   * Calls `fn` once, after at least `ms`, unless the timer is cancelled first. It accepts the same numbers as sleep.
   */
  timer(ms: number, fn: () => void): Timer;

  /**
   * Lets other due work run first, for long work that is done in pieces. It is absent where time is controlled from
   * outside, so that time does not advance until the work is finished.
   */
  turn?(): Promise<void>;
}

/** The longest time that a Node.js timer can wait: 2^31 - 1 ms, 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Clock of the engine that runs this, in Node.js or in a browser. Its timers keep the process alive. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepBy(realClock, ms, signal),
  timer(ms, fn) {
    assertNumber(ms);
    const due = performance.now() + ms;
    let handle: ReturnType<typeof setTimeout>;
    const arm = (): void => {
      // The time is rounded up because a Node.js timer may fire a fraction of a millisecond early.
      handle = setTimeout(fire, Math.min(Math.ceil(Math.max(due - performance.now(), 0)), MAX_TIMER_MS));
    };
    const fire = (): void => (performance.now() < due ? arm() : fn());
    arm();
    return cancellable(() => clearTimeout(handle));
  },
  turn: () => new Promise((resolve) => nextTurn(resolve)),
};

/** Implements sleep for any clock that has timers. */
export function sleepBy(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = clock.timer(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Creates a timer from its cancel function. */
export function cancellable(cancel: () => void): Timer {
  return { cancel, [Symbol.dispose]: cancel };
}

/** Throws on NaN, which is a mistake of the caller that a timer would treat as "now". */
export function assertNumber(ms: number): void {
  if (Number.isNaN(ms)) throw new RangeError('a timer requires a number of milliseconds, not NaN');
}
