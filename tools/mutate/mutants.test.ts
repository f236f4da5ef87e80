import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { mutantsOf, mutate } from './mutants.ts';
import { noEffectReason } from './no-effect.ts';
import { parseOptions } from './options.ts';
import { formatScore, formatVerdict, type Outcome, scoreOf } from './outcome.ts';
import { importersOf, relatedTests } from './related-tests.ts';
import { sampleMutants } from './sample.ts';

const changes = (text: string) => mutantsOf('a.ts', text).map((mutant) => mutate(text, mutant));

describe('the mutants of a source', () => {
  it.each([
    ['a < b', ['a <= b']],
    ['a >= b', ['a > b']],
    ['a === b', ['a !== b']],
    ['a /* < */ < b', ['a /* < */ <= b']],
    ['a - b', ['a + b']],
    ['a + b', ['a - b']],
    ["a + 'text'", []],
    ['a + `text`', []],
    ['a && b', ['a || b']],
    ['a ?? b', ['a && b']],
    ['a += b', ['a -= b']],
    ['a = b', []],
    ['!a', ['a']],
    ['-a', []],
    ['x = true', ['x = false']],
    ['x = 63', ['x = 64']],
    ["x = 'text'", []],
    ['if (a) b = c', ['if (!(a)) b = c']],
    ['a ? b : c', ['(a ? c : b)']],
    ['for (;;) continue', ['for (;;) break;']],
    ['f()', [';']],
    ['await f()', [';']],
    ['x = f()', []],
    ['x = [a]', ['x = []']],
    ['x = []', []],
    ['x = Math.min(a, b)', ['x = Math.max(a, b)']],
    ['x = a.some(f)', ['x = a.every(f)']],
    ['x = a.filter(f).map(g)', ['x = a.map(g)']],
    ['x = a?.filter(f)', []],
    ['x = a.toString()', []],
    ["log.warn({ a: 1 }, 'text')", []],
    ['x = { example: { a: 1 }, b: 2 }', ['x = { example: { a: 1 }, b: 3 }']],
  ])('%s becomes %j', (text, mutated) => {
    expect(changes(text)).toEqual(mutated);
  });

  it.each([
    ['import types', "import { a } from './b.ts';"],
    ['a type', 'type A = 1 | true;'],
    ['an interface', 'interface A { readonly a: 2 }'],
    ['the type of an expression', 'x = a as 3;'],
    ['a generic argument', 'x = f<4>();'],
  ])('are none in %s', (_what, text) => {
    expect(changes(text)).toEqual([]);
  });

  it('are found inside an expression with a type', () => {
    expect(changes('x = (a < b) as boolean;')).toEqual(['x = (a <= b) as boolean;']);
  });

  it('name their line', () => {
    expect(mutantsOf('a.ts', 'x = 1;\ny = 2;\n').map(({ line, original }) => [line, original])).toEqual([
      [1, '1'],
      [2, '2'],
    ]);
  });

  it('are valid code, in a sample of this repository', () => {
    for (const path of globSync('src/platform/base/{names,cidr,duration,random}.ts')) {
      const text = readFileSync(path, 'utf8');
      const broken = mutantsOf(path, text).filter((each) => parseSync(path, mutate(text, each)).errors.length > 0);
      expect(broken).toEqual([]);
    }
  });
});

describe('a sample', () => {
  const all = mutantsOf('a.ts', Array.from({ length: 50 }, (_, i) => `x = ${i};`).join('\n'));

  it('is the same for the same seed, differs for another seed, and never repeats a mutant', () => {
    const sample = sampleMutants(all, 'one', 10);
    expect(sampleMutants(all, 'one', 10)).toEqual(sample);
    expect(sampleMutants(all, 'two', 10)).not.toEqual(sample);
    expect(new Set(sample).size).toBe(10);
  });

  it('contains everything if there is less', () => {
    expect(sampleMutants(all, 'one', 100)).toEqual(all);
  });
});

describe('the related tests of a file', () => {
  const importers = importersOf([
    { path: 'src/a/a.ts', text: '' },
    { path: 'src/a/a.test.ts', text: "import './a.ts';" },
    { path: 'src/a/b.ts', text: "import { a } from './a.ts';" },
    { path: 'src/a/b.test.ts', text: "import './b.ts';" },
    { path: 'src/c/c.test.ts', text: "import '#a/b';" },
    { path: 'test/deep/a.test.ts', text: "import '#c/c';" },
    { path: 'src/c/c.ts', text: "import '#a/b';" },
    { path: 'src/c/types.test.ts', text: "import type { A } from '#a/a';" },
    { path: 'test/e2e.test.ts', text: "import '../src/a/a.ts';" },
  ]);
  const isTest = (path: string) => path.endsWith('.test.ts');

  it('are those that import it: its own first, then the nearest by directory and by imports', () => {
    expect(relatedTests('src/a/a.ts', importers, isTest)).toEqual([
      'src/a/a.test.ts',
      'src/a/b.test.ts',
      'src/c/c.test.ts',
      'test/e2e.test.ts',
      'test/deep/a.test.ts',
    ]);
    expect(relatedTests('src/a/b.ts', importers, isTest)).toEqual([
      'src/a/b.test.ts',
      'src/c/c.test.ts',
      'test/deep/a.test.ts',
    ]);
  });
});

describe('the report', () => {
  const [mutant] = mutantsOf('src/a.ts', '\nif (a <= b) c = d;').slice(1);
  const verdict = (outcome: Outcome) => {
    if (mutant === undefined) throw new Error('there is no mutant');
    return { mutant, outcome };
  };

  it('names the file, the line and the change', () => {
    expect(formatVerdict(verdict({ kind: 'killed', test: 'a.test.ts' }))).toBe('killed    src/a.ts:2  <= → <');
    expect(formatVerdict(verdict({ kind: 'survived', tests: 3 }))).toBe(
      'survived  src/a.ts:2  <= → <\n          3 related test files pass',
    );
    expect(formatVerdict(verdict({ kind: 'no-effect', reason: 'a is never b' }))).toContain('a is never b');
  });

  it('counts a timeout as killed, and excludes mutants without effect', () => {
    const outcomes: Outcome[] = [
      { kind: 'killed', test: 't' },
      { kind: 'timeout' },
      { kind: 'survived', tests: 1 },
      { kind: 'no-effect', reason: 'r' },
    ];
    const score = scoreOf(outcomes.map(verdict));
    expect(score).toEqual({ killed: 1, survived: 1, timeouts: 1, noEffect: 1, rate: 2 / 3 });
    expect(formatScore(score)).toBe(
      '1 killed, 1 survived, 1 no effect, 1 timeouts: 66.6 % of the mutants with an effect are killed',
    );
    expect(scoreOf([]).rate).toBe(1);
  });

  it('uses the proof of a mutant without effect only while its line is the same', () => {
    const known = [{ path: 'src/a.ts', code: 'if (a <= b) c = d;', change: '<= → <', because: 'a is never b' }];
    const { mutant: given } = verdict({ kind: 'timeout' });
    expect(noEffectReason(given, '\n  if (a <= b) c = d;', known)).toBe('a is never b');
    expect(noEffectReason(given, '\n  if (a <= c) c = d;', known)).toBeUndefined();
    expect(noEffectReason({ ...given, path: 'src/b.ts' }, '\n  if (a <= b) c = d;', known)).toBeUndefined();
  });
});

describe('the command line', () => {
  const parse = (...argv: string[]) => parseOptions(argv, () => 'drawn');

  it('has defaults, and draws a seed', () => {
    expect(parse()).toEqual({ path: 'src', line: undefined, seed: 'drawn', count: 100, tests: 8, threshold: 90 });
  });

  it('names a directory, a file or a line', () => {
    expect(parse('src/vm/', '--seed', '7', '--count=5')).toMatchObject({ path: 'src/vm', seed: '7', count: 5 });
    expect(parse('src/a.ts:12')).toMatchObject({ path: 'src/a.ts', line: 12 });
  });

  it.each([
    [['--count', '0'], '--count is "0": give a whole number of at least 1'],
    [['--tests', 'many'], '--tests is "many"'],
    [['--threshold=-1'], '--threshold is "-1"'],
    [['src/a', 'src/b'], 'one directory at a time, not src/a and src/b'],
    [['--nope'], "Unknown option '--nope'"],
  ])('%j is rejected', (argv, message) => {
    expect(() => parse(...argv)).toThrow(message);
  });
});
