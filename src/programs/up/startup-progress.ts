import type { Clock } from '#platform/base/clock';

export interface StartupProgressDeps {
  readonly write: (text: string) => void;
  /** Whether a person looks at a terminal: then the step under way is shown too, and how far it is. */
  readonly live: boolean;
  readonly clock: Clock;
}

/** Says how far a step is. */
export type Say = (state: string) => void;

const REWRITE = '\r\u001B[K';

/** Says how starting goes: a line for each step that is done, and on a terminal the one that is under way. */
export class StartupProgress {
  readonly #parts: StartupProgressDeps;
  readonly #began: number;

  constructor(parts: StartupProgressDeps) {
    this.#parts = parts;
    this.#began = parts.clock.monotonic();
  }

  /** Runs a step; what it returns is told behind its name. */
  async step<T>(name: string, run: (say: Say) => Promise<T>, told: (result: T) => string): Promise<T> {
    const { write, live, clock } = this.#parts;
    const again = live ? REWRITE : '';
    if (live) write(`  … ${name}`);
    const say: Say = (state) => {
      if (live) write(`${REWRITE}  … ${name}: ${state}`);
    };
    try {
      const result = await run(say);
      const ms = Math.round(clock.monotonic() - this.#began);
      write(`${again}  ✓ ${name}: ${told(result)} (${ms} ms)\n`);
      return result;
    } catch (error) {
      write(`${again}  ✗ ${name}\n`);
      throw error;
    }
  }
}
