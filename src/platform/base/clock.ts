import { uptime } from 'node:os';

/** Undoes a timer; undoing it twice, or after it has fired, does nothing. */
export interface Timer extends Disposable {
  cancel(): void;
}

/**
 * The only source of time. Whatever waits or reads the time gets one handed in, so that tests and simulations can
 * move time themselves.
 */
export interface Clock {
  /** The time of day in milliseconds since 1970 (UTC). It may jump when somebody sets the clock: for display, not for measuring. */
  now(): number;

  /** Milliseconds since an arbitrary moment; never goes back. For measuring. */
  monotonic(): number;

  /**
   * Milliseconds since an arbitrary moment, those included in which the whole host slept, which `monotonic` leaves out;
   * coarser, and dearer to ask for. Absent where nothing sleeps.
   */
  uptime?(): number;

  /**
   * Resolves once at least `ms` have passed, and never within the call itself. Rejects with the signal's reason as
   * soon as the signal is aborted, at once if it already is. Zero or less waits for one turn; Infinity waits for the
   * signal alone. NaN throws a RangeError.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /** Calls `fn` once, after at least `ms`, unless the timer is cancelled first. The same numbers as for sleep hold. */
  timer(ms: number, fn: () => void): Timer;

  /**
   * Lets whatever else is due go first: for long work that is done in pieces. Absent where somebody else moves the
   * time, so that it stands still until the work is done.
   */
  turn?(): Promise<void>;
}

/** The longest time that the timers of the runtime can wait in one go: 2^31 - 1 ms, 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. Its timers keep the process alive. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  sleep: (ms, signal) => sleepBy(realClock, ms, signal),
  timer(ms, fn) {
    assertNumber(ms);
    const due = performance.now() + ms;
    let handle: ReturnType<typeof setTimeout>;
    const arm = (): void => {
      // Rounded up, because a timer of the runtime may fire a fraction of a millisecond early.
      handle = setTimeout(fire, Math.min(Math.ceil(Math.max(due - performance.now(), 0)), MAX_TIMER_MS));
    };
    const fire = (): void => (performance.now() < due ? arm() : fn());
    arm();
    return cancellable(() => clearTimeout(handle));
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** Sleeping, for any clock that has timers. */
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

/** Makes a timer of what undoes it. */
export function cancellable(cancel: () => void): Timer {
  return { cancel, [Symbol.dispose]: cancel };
}

/** A time that is no number is a mistake of the caller, which a timer would take for "now". */
export function assertNumber(ms: number): void {
  if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds, not NaN');
}
