import type { Clock } from '#platform/base/clock';

/** Done in a row before the rest of the process gets a turn: it shares one thread with us. */
const MAX_PER_TURN = 64;
const MAX_TURN_MS = 5;

/** Works as long as there is something to do, in short turns, and else sleeps until it is woken. */
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

  /** `step` does one thing and says whether there was one. */
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

  /** Returns whether there may be more to do. */
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
