import type { Clock } from '#platform/base/clock';

/** Limits of one turn, after which the rest of the process runs: it shares the thread. */
const MAX_PER_TURN = 64;
const MAX_TURN_MS = 5;

/** Works in short turns as long as there is something to do, and else sleeps until woken. */
export class WorkLoop {
  readonly #clock: Clock;
  #wake: (() => void) | undefined;
  #woken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Runs `step` repeatedly. It does one piece of work and reports whether there was one. */
  async run(step: () => boolean, signal: AbortSignal): Promise<void> {
    const stop = () => this.wake();
    signal.addEventListener('abort', stop, { once: true });
    while (!signal.aborted) {
      this.#woken = false;
      if (this.#turn(step)) await this.#clock.sleep(0, signal).catch(() => {});
      else if (!this.#woken) await this.#sleep();
    }
    signal.removeEventListener('abort', stop);
  }

  /** Reports whether there may be more to do. */
  #turn(step: () => boolean): boolean {
    const began = this.#clock.monotonic();
    for (let done = 0; done < MAX_PER_TURN; done++) {
      if (!step()) return false;
      if (this.#clock.monotonic() - began > MAX_TURN_MS) return true;
    }
    return true;
  }

  async #sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
