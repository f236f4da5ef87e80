import { describe, expect, it } from 'vitest';
import { Judge } from './judge.ts';
import { mutantsOf } from './mutants.ts';
import type { TestRequest, TestResult } from './test-process.ts';

const [mutant] = mutantsOf('src/a.ts', 'x = 1;');
const TESTS = ['a', 'b', 'c', 'd', 'e'];

/** Judges one mutant by tests, of which some fail on the mutant or on the unchanged code. */
function trial(results: { mutated?: Record<string, TestResult>; unchanged?: Record<string, TestResult> }) {
  const runs: string[] = [];
  const judge = new Judge({
    testsOf: () => TESTS,
    run({ edit, tests }: TestRequest) {
      runs.push(`${edit === undefined ? 'unchanged' : 'mutated'} ${tests.join('')}`);
      const known = (edit === undefined ? results.unchanged : results.mutated) ?? {};
      return Promise.resolve(tests.map((test) => known[test]).find(Boolean) ?? { kind: 'passed' });
    },
  });
  return { judge, runs };
}
const failed = (test: string | undefined): TestResult => ({ kind: 'failed', test });

describe('a mutant', () => {
  const judged = (judge: Judge) => {
    if (mutant === undefined) throw new Error('there is no mutant');
    return judge.judge(mutant);
  };

  it('survives if all of its tests pass, the nearest of which run first', async () => {
    const { judge, runs } = trial({});
    expect(await judged(judge)).toEqual({ kind: 'survived', tests: 5 });
    expect(runs).toEqual(['mutated abc', 'mutated de']);
  });

  it('is killed by a test that passes on the unchanged code, which is checked once', async () => {
    const { judge, runs } = trial({ mutated: { b: failed('b') } });
    expect(await judged(judge)).toEqual({ kind: 'killed', test: 'b' });
    expect(await judged(judge)).toEqual({ kind: 'killed', test: 'b' });
    expect(runs).toEqual(['mutated abc', 'unchanged b', 'mutated abc']);
    expect(judge.failing).toEqual([]);
  });

  it('is not killed by a test that fails anyway', async () => {
    const { judge, runs } = trial({ mutated: { b: failed('b') }, unchanged: { b: failed('b') } });
    expect(await judged(judge)).toEqual({ kind: 'survived', tests: 5 });
    expect(runs).toEqual(['mutated abc', 'unchanged b', 'mutated ac', 'mutated de']);
    expect(judge.failing).toEqual(['b']);
  });

  it('that ends the process or never ends is reported', async () => {
    expect(await judged(trial({ mutated: { a: failed(undefined) } }).judge)).toEqual({
      kind: 'killed',
      test: 'the test process',
    });
    expect(await judged(trial({ mutated: { e: { kind: 'timeout' } } }).judge)).toEqual({ kind: 'timeout' });
  });
});
