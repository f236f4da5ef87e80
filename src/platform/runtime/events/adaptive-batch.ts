import type { Clock } from '#platform/base/clock';

const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 80;
/** Delay from which a timer counts as late, because it has waited behind other work. */
const LATE_MS = 2;
const MIN_BATCH = 4;
const MAX_BATCH = 64;

/**
 * Paces work that can wait: large batches while the process has little else to do, small ones far apart while it is
 * busy, and a turn for other work between any two.
 */
export class AdaptiveBatch {
  readonly #clock: Clock;
  #batch = MAX_BATCH;
  #pause = MIN_PAUSE_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for the next turn, longer if work is left over from the last one, and returns the batch size. */
  async next(behind: boolean, signal: AbortSignal): Promise<number> {
    const pause = behind ? this.#pause : 0;
    const due = this.#clock.monotonic() + pause;
    await this.#clock.sleep(pause, signal).catch(() => {});
    const late = this.#clock.monotonic() - due > LATE_MS;
    // The batch shrinks fast and grows slowly, so that a process that is busy on and off counts as busy.
    this.#batch = late ? Math.max(MIN_BATCH, this.#batch >> 1) : Math.min(MAX_BATCH, this.#batch + MIN_BATCH);
    this.#pause = late ? Math.min(MAX_PAUSE_MS, this.#pause * 2) : Math.max(MIN_PAUSE_MS, this.#pause - MIN_PAUSE_MS);
    return this.#batch;
  }
}
