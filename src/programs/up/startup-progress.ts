import type { Clock } from '#platform/base/clock';

export interface StartupProgressDeps {
  readonly write: (text: string) => void;
  /** Shows the step in progress too, for a person at a terminal. */
  readonly live: boolean;
  readonly clock: Clock;
}

/** Reports the progress of a step. */
export type Say = (state: string) => void;

const REWRITE = '\r\u001B[K';

/** Prints the progress of a start: a line per finished step, and on a terminal the step in progress. */
export class StartupProgress {
  readonly #parts: StartupProgressDeps;
  readonly #began: number;

  constructor(parts: StartupProgressDeps) {
    this.#parts = parts;
    this.#began = parts.clock.monotonic();
  }

  /** Runs a step. The text for its result is printed after its name. */
  async step<T>(name: string, run: (say: Say) => Promise<T>, reported: (result: T) => string): Promise<T> {
    const { write, live, clock } = this.#parts;
    const again = live ? REWRITE : '';
    if (live) write(`  … ${name}`);
    const say: Say = (state) => {
      if (live) write(`${REWRITE}  … ${name}: ${state}`);
    };
    try {
      const result = await run(say);
      const ms = Math.round(clock.monotonic() - this.#began);
      write(`${again}  ✓ ${name}: ${reported(result)} (${ms} ms)\n`);
      return result;
    } catch (error) {
      write(`${again}  ✗ ${name}\n`);
      throw error;
    }
  }
}
