import type { Clock } from '#platform/base/clock';

const SHORTEST_MS = 5;
const LONGEST_MS = 80;
/** A timer that fires later than this has waited behind other work. */
const LATE_MS = 2;
const LEAST = 4;
const MOST = 64;

/**
 * How fast to do work that can wait: large batches while the process has little else to do, small ones far apart while
 * it is busy, and a turn for others between any two.
 */
export class Pace {
  readonly #clock: Clock;
  #batch = MOST;
  #pause = SHORTEST_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits for the next turn, longer where work is left over from the last one, and says how much may be done in it. */
  async next(behind: boolean, signal: AbortSignal): Promise<number> {
    const pause = behind ? this.#pause : 0;
    const due = this.#clock.monotonic() + pause;
    await this.#clock.sleep(pause, signal).catch(() => {});
    const late = this.#clock.monotonic() - due > LATE_MS;
    // Down fast and up slowly, so that a process that is busy on and off counts as busy.
    this.#batch = late ? Math.max(LEAST, this.#batch >> 1) : Math.min(MOST, this.#batch + LEAST);
    this.#pause = late ? Math.min(LONGEST_MS, this.#pause * 2) : Math.max(SHORTEST_MS, this.#pause - SHORTEST_MS);
    return this.#batch;
  }
}
