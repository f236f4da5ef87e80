import type { Clock } from '#platform/base/clock';
import type { Io } from './io.ts';

/** Time after which a command counts as slow, and time between two updates. */
const SLOW_MS = 1_000;
const UPDATE_MS = 100;

/**
 * Shows how far a slow command is, on one line of a terminal that is rewritten. It shows nothing in the first second, and
 * never if standard error is not a terminal.
 */
export class ProgressLine {
  readonly #io: Pick<Io, 'rewrite'>;
  readonly #clock: Clock;
  #nextAt: number;
  #isShown = false;

  constructor(io: Pick<Io, 'rewrite'>, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
    this.#nextAt = clock.monotonic() + SLOW_MS;
  }

  /** Shows a state, unless the last one is too recent. The text is only computed if it is shown. */
  show(state: () => string): void {
    const { rewrite } = this.#io;
    const now = this.#clock.monotonic();
    if (rewrite === undefined || now < this.#nextAt) return;
    this.#nextAt = now + UPDATE_MS;
    this.#isShown = true;
    rewrite(state());
  }

  /** Removes the line, before anything else is printed. */
  clear(): void {
    if (this.#isShown) this.#io.rewrite?.('');
    this.#isShown = false;
  }
}
