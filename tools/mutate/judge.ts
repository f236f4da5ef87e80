import type { Mutant } from './mutants.ts';
import type { Outcome } from './outcome.ts';
import type { TestRequest, TestResult } from './test-process.ts';

export interface JudgeDeps {
  /** Runs tests until the first failure. */
  readonly run: (request: TestRequest) => Promise<TestResult>;
  /** Returns the tests of a file, the likeliest to notice a change first. */
  readonly testsOf: (path: string) => readonly string[];
}

/** The nearest tests kill most mutants, so the others are run only if those pass. */
const BATCH_SIZES = [3, Number.POSITIVE_INFINITY];

/** Decides whether tests notice mutants. Tests that fail on the unchanged code as well are left out. */
export class Judge {
  readonly #deps: JudgeDeps;
  /** The tests that have been run on the unchanged code, and whether they passed. */
  readonly #passes = new Map<string, boolean>();

  constructor(deps: JudgeDeps) {
    this.#deps = deps;
  }

  /** Returns the tests that fail on the unchanged code. */
  get failing(): string[] {
    return [...this.#passes].filter(([, passes]) => !passes).map(([test]) => test);
  }

  async judge(mutant: Mutant): Promise<Outcome> {
    const tests = this.#deps.testsOf(mutant.path);
    for (const batch of batches(tests)) {
      const outcome = await this.#judgeBy(mutant, batch);
      if (outcome !== undefined) return outcome;
    }
    return { kind: 'survived', tests: tests.length };
  }

  async #judgeBy(mutant: Mutant, batch: readonly string[]): Promise<Outcome | undefined> {
    for (;;) {
      const tests = batch.filter((test) => this.#passes.get(test) !== false);
      if (tests.length === 0) return undefined;
      const result = await this.#deps.run({ edit: mutant, tests });
      if (result.kind === 'passed') return undefined;
      if (result.kind === 'timeout') return { kind: 'timeout' };
      if (result.test === undefined) return { kind: 'killed', test: 'the test process' };
      if (await this.#passesUnchanged(result.test)) return { kind: 'killed', test: result.test };
    }
  }

  async #passesUnchanged(test: string): Promise<boolean> {
    const known = this.#passes.get(test);
    if (known !== undefined) return known;
    const { kind } = await this.#deps.run({ edit: undefined, tests: [test] });
    this.#passes.set(test, kind === 'passed');
    return kind === 'passed';
  }
}

function batches(tests: readonly string[]): string[][] {
  let start = 0;
  const cut = BATCH_SIZES.map((size) => {
    const batch = tests.slice(start, start + size);
    start += size;
    return batch;
  });
  return cut.filter((batch) => batch.length > 0);
}
