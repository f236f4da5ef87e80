import { describe, expect, it } from 'vitest';
import { filesToRetry, groupByPrefix, notRun, obstacle, outcomeOf, skippedByReason } from './decide.ts';
import type { FileResult, Part, Run } from './part.ts';

const part: Part = { name: 'p', command: ['true'], minutes: 5, tests: true, files: ['a', 'b'], retries: true };
const file = (name: string, state: FileResult['state'] = 'passed'): FileResult => ({
  file: name,
  state,
  passed: state === 'passed' ? 1 : 0,
  failed: state === 'failed' ? [`${name} works`] : [],
  skipped: {},
});
const run = (status: number | undefined, ...files: FileResult[]): Run => ({ status, files });
const green = run(0, file('a'), file('b'));
const red = run(1, file('a'), file('b', 'failed'));

describe('a part', () => {
  it('runs if enough minutes are left', () => {
    expect(obstacle(part, [], 300)).toBeUndefined();
    expect(obstacle(part, [], 299)).toBe('it takes 5 minutes, and 4 are left');
    expect(obstacle(part, [], -1)).toBe('it takes 5 minutes, and 0 are left');
    expect(obstacle({ ...part, required: true }, [], -1)).toBeUndefined();
  });

  it('runs after the part that it needs has passed', () => {
    const second = { ...part, name: 'q', after: 'p' };
    expect(obstacle(second, [], 300)).toBe('p: not run');
    expect(obstacle(second, [outcomeOf(part, 1, green)], 300)).toBeUndefined();
    expect(obstacle(second, [notRun(part, 'no Go')], 300)).toBe('p: no Go');
  });

  it('does not run after a required one failed', () => {
    const failed = outcomeOf({ ...part, required: true }, 1, red);
    expect(obstacle({ ...part, name: 'q' }, [failed], 300)).toBe('p failed');
    expect(obstacle({ ...part, name: 'q' }, [outcomeOf(part, 1, red)], 300)).toBeUndefined();
  });
});

describe('a second run', () => {
  it('is only for failed files of parts that allow it', () => {
    expect(filesToRetry(part, red)).toEqual(['b']);
    expect(filesToRetry(part, green)).toEqual([]);
    const { retries: _, ...strict } = part;
    expect(filesToRetry(strict, red)).toEqual([]);
  });

  it('is not for errors outside of files, nor after the time ran out', () => {
    expect(filesToRetry(part, run(1, file('a'), file('elsewhere', 'failed')))).toEqual([]);
    expect(filesToRetry(part, run(undefined, file('a', 'failed')))).toEqual([]);
  });
});

describe('the result', () => {
  it.each<[string, Run, Run | undefined, object]>([
    ['is passed if all files passed', green, undefined, { state: 'passed', retried: [] }],
    ['is failed if a file failed', red, undefined, { state: 'failed', why: 'b' }],
    [
      'is passed if a failed file passed in the second run',
      red,
      run(0, file('b')),
      { state: 'passed', retried: ['b'] },
    ],
    ['is failed if a file failed twice', red, run(1, file('b', 'failed')), { state: 'failed', retried: [] }],
    ['is failed if the second run had no time', red, run(undefined), { state: 'failed', why: 'b' }],
    [
      'is cut short if the time ran out',
      run(undefined, file('a')),
      undefined,
      { state: 'cut short', unfinished: ['b'] },
    ],
    [
      'is failed if a file failed before the time ran out',
      run(undefined, file('a', 'failed')),
      undefined,
      { state: 'failed', why: 'a' },
    ],
    [
      'is failed if an error is outside of files',
      run(1, file('a'), file('b')),
      undefined,
      { state: 'failed', why: 'exit status 1' },
    ],
    ['is failed if a file was not run', run(0, file('a')), undefined, { state: 'failed', why: 'not run: b' }],
    [
      'is failed if an error remains beside a file that passed in the second run',
      run(1, file('a'), file('b', 'failed'), file('elsewhere', 'failed')),
      run(0, file('b')),
      { state: 'failed', why: 'elsewhere', retried: ['b'] },
    ],
  ])('%s', (_, first, second, expected) => {
    expect(outcomeOf(part, 1, first, second)).toMatchObject(expected);
  });

  it('is a failure if a required part was interrupted', () => {
    expect(outcomeOf({ ...part, required: true }, 1, run(undefined, file('a')))).toMatchObject({ state: 'failed' });
  });

  it('is skipped if the host lacks something', () => {
    const building: Part = { name: 'b', command: ['go'], minutes: 1, lacks: { status: 3, what: 'no Go' } };
    expect(outcomeOf(building, 1, run(3))).toMatchObject({ state: 'skipped', why: 'no Go' });
    expect(outcomeOf(building, 1, run(1))).toMatchObject({ state: 'failed', why: 'exit status 1' });
  });
});

it('skipped tests are counted by reason', () => {
  const files = [
    { ...file('a'), skipped: { 'no fish': 2, 'no zsh': 1 } },
    { ...file('b'), skipped: { 'no zsh': 4 } },
  ];
  expect(skippedByReason(files)).toEqual([
    ['no zsh', 5],
    ['no fish', 2],
  ]);
});

describe('groups of files', () => {
  it('contain files by their longest prefix, and the empty one contains all others', () => {
    expect(groupByPrefix(['x/b', 'x/special', 'y', 'x/a'], [['x/'], ['x/sp'], ['']])).toEqual([
      ['x/a', 'x/b'],
      ['x/special'],
      ['y'],
    ]);
  });

  it('miss no file', () => {
    expect(() => groupByPrefix(['y'], [['x/']])).toThrow('no part of CI runs y');
  });
});
