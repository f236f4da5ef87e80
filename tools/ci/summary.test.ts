import { expect, it } from 'vitest';
import { notRun, outcomeOf } from './decide.ts';
import type { Part } from './part.ts';
import { isFailure, summary } from './summary.ts';

const part = (name: string, ...files: string[]): Part => ({ name, command: ['true'], minutes: 5, tests: true, files });
const passed = (file: string, skipped = {}) => ({ file, state: 'passed' as const, passed: 3, failed: [], skipped });
const failed = (file: string) => ({ file, state: 'failed' as const, passed: 1, failed: ['it works'], skipped: {} });

it('a run without failures has passed, and lists what it did not run', () => {
  const outcomes = [
    outcomeOf(part('first', 'a'), 65, { status: 0, files: [passed('a', { 'no fish in PATH': 2 })] }),
    outcomeOf(part('second', 'b'), 61, { status: 1, files: [failed('b')] }, { status: 0, files: [passed('b')] }),
    outcomeOf(part('third', 'c', 'd'), 9, { status: undefined, files: [passed('c')] }),
    notRun(part('fourth', 'e'), 'it takes 5 minutes, and 2 are left'),
  ];
  expect(isFailure(outcomes)).toBe(false);
  expect(summary(outcomes)).toBe(`
== summary
  first   passed, 1m05s
  second  passed, 1m01s
  third   cut short, 0m09s
  fourth  skipped

9 tests passed, 0 failed, 2 were skipped:
      2  no fish in PATH

!!
!! PASSED ONLY IN A SECOND RUN (second):
!!   b
!!

!!
!! CUT SHORT: third (no time was left). Not run to the end:
!!   d
!!

!!
!! SKIPPED: fourth (it takes 5 minutes, and 2 are left)
!!   e
!!

CI passed
`);
});

it('a failure fails the run, and is named', () => {
  const outcomes = [outcomeOf(part('only', 'a'), 1, { status: 1, files: [failed('a')] })];
  expect(isFailure(outcomes)).toBe(true);
  expect(summary(outcomes)).toContain(`!!
!! FAILED: only (a)
!!   a: it works
!!

CI FAILED
`);
});
