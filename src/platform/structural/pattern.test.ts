import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { measureCpuMs } from '#testing/measure-cpu';
import { pattern, patternProblem } from './pattern.ts';
import { translatePattern } from './translated-pattern.ts';

describe('a pattern', () => {
  it.each([
    ['^a.c$', 'abc', true],
    ['^a.c$', 'a\nc', false],
    ['^a.c$', 'a\rc', true],
    ['^.$', '😀', true],
    ['b', 'abc', true],
    ['^$', '', true],
    ['(?i)ABC', 'xabcx', true],
    ['\\s', '\u00a0', false],
    ['\\s', ' ', true],
    ['[[:alpha:]]+', 'abc', true],
    ['\\pL', 'é', true],
    ['a\\z', 'a\n', false],
    ['^(?P<x>a)b$', 'ab', true],
    ['[]a]', ']', true],
    ['a{,2}', 'a{,2}', true],
    ['a|^b|c$', 'xxc', true],
  ])('%s on %j is %s, as in RE2', (source, text, verdict) => {
    expect(pattern(source)(text)).toBe(verdict);
  });

  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['a(?=b)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
    ['(a{500}){3}', 'error parsing regexp: invalid repeat count: `{3}`'],
    ['x**', 'error parsing regexp: invalid nested repetition operator: `**`'],
    ['[z-a]', 'error parsing regexp: invalid character class range: `z-a`'],
  ])('%s is rejected on compilation, with the message of the API server', (source, problem) => {
    expect(() => pattern(source)).toThrow(problem);
    expect(patternProblem(source)).toBe(`must be a valid regular expression, but isn't: ${problem}`);
  });

  it('that is common in schemas uses the fast engine', () => {
    for (const source of ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', '^[A-Za-z0-9_.+-]*$', '^([0-9]+|[0-9]{1,2}%|100%)$']) {
      expect(translatePattern(source)?.longest).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it('has the same result in both engines if the fast one is used', () => {
    const atom = fc.oneof(
      fc.constantFrom('a', 'b', '.', '\\.', '\\d', '\\w', '[ab]', '[^a]', '[a-c.-]', '-', '^', '$', 'é', '😀'),
      fc.constantFrom('(a|b)', '(?:ab)', '(a|ab)', '(a*)', '()'),
    );
    const term = fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{2,}', '+?', '??'));
    const source = fc.array(fc.array(term, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '.', '-', '1', '\n', '\r', 'é', '😀'),
      maxLength: 8,
    });
    fc.assert(
      fc.property(source, text, (alternatives, input) => {
        const written = alternatives.map((terms) => terms.map((parts) => parts.join('')).join('')).join('|');
        const translated = translatePattern(written);
        if (translated === undefined) return;
        expect(translated.expression.test(input)).toBe(RE2JS.compile(written).test(input));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['(a+)+$', 'a'],
    ['(a|a)*b', 'a'],
    ['(a|ab|b)+c', 'ab'],
    ['(a?){30}a{30}', 'a'],
    [`${'a?'.repeat(30)}a{30}`, 'a'],
    ['a*a*a*a*a*b', 'a'],
    ['(.*)(.*)(.*)(.*)[^a]$', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['(x+x+)+y', 'x'],
    ['^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+$', '1'],
  ])('%s is matched in bounded time', (source, unit) => {
    const matches = pattern(source);
    const all = measureCpuMs(() => {
      for (const length of [5, 10, 12, 16, 20, 25, 30, 60, 1_000, 20_000]) matches(`${unit.repeat(length)}!`);
    });
    expect(all).toBeLessThan(10_000);
  });
});
