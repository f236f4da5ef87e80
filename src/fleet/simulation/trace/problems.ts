import { VimanaError } from '#platform/base/errors';

/** Place in a trace file. Lines and columns count from 1. */
export interface TracePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Number of problems after which reading ends: a file of another format has one in every line. */
const MAX_PROBLEMS = 20;

/** Collects what is wrong with trace files, so that all of it is reported at once. */
export class TraceProblems {
  readonly #found: string[] = [];

  /** Adds a problem. Throws if there are too many to go on. */
  add({ file, line, column }: TracePlace, message: string): void {
    this.#found.push(`${file}:${line}:${column}: ${message}`);
    if (this.#found.length >= MAX_PROBLEMS) this.#throw(`, and possibly more`);
  }

  /** Throws if anything was wrong. */
  check(): void {
    if (this.#found.length > 0) this.#throw('');
  }

  #throw(more: string): never {
    const lines = this.#found.map((each) => `\n  ${each}`).join('');
    throw new VimanaError('REFUSED', `the trace cannot be imported${more}:${lines}`, {
      hint: 'The columns of each format are listed in docs/guides/simulation-scenarios.md.',
    });
  }
}
