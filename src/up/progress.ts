import type { Clock } from '../base/clock.ts';

export interface ProgressParts {
  readonly write: (text: string) => void;
  /** Whether a person looks at a terminal: then the step under way is shown too. */
  readonly live: boolean;
  readonly clock: Clock;
}

/** Says how starting goes: a line for each step that is done, and on a terminal the one that is under way. */
export class Progress {
  readonly #parts: ProgressParts;
  readonly #began: number;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
    this.#began = parts.clock.monotonic();
  }

  /** Runs a step; what it returns is told behind its name. */
  async step<T>(name: string, run: () => Promise<T>, told: (result: T) => string = () => ''): Promise<T> {
    const { write, live, clock } = this.#parts;
    if (live) write(`  … ${name}`);
    try {
      const result = await run();
      const ms = Math.round(clock.monotonic() - this.#began);
      const detail = told(result);
      write(`${live ? '\r\u001B[K' : ''}  ✓ ${name}${detail === '' ? '' : `: ${detail}`} (${ms} ms)\n`);
      return result;
    } catch (error) {
      if (live) write('\r\u001B[K');
      write(`  ✗ ${name}\n`);
      throw error;
    }
  }
}
