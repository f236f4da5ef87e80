import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import recorded from './duration.data.json' with { type: 'json' };
import { formatDuration, humanDuration, parseDuration } from './duration.ts';
import { ParseError } from './errors.ts';

// The tables were recorded from Go's time package and k8s.io/apimachinery v0.36.3.
describe('parseDuration', () => {
  test.each(recorded.filter((row) => row.error === undefined))('parses $in as Go does', (row) => {
    expect(parseDuration(row.in)).toBe(Number(`${row.ns}e-6`));
  });

  test.each(recorded.filter((row) => row.error !== undefined))('rejects $in with the message of Go', (row) => {
    expect(() => parseDuration(row.in)).toThrow(new ParseError(row.error ?? ''));
  });

  test.each([
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['1w2d3h', 788_400_000],
    ['-1.5d', -129_600_000],
  ])('also parses days and weeks: %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test('rejects a unit named like an inherited property', () => {
    expect(() => parseDuration('1constructor')).toThrow('unknown unit "constructor"');
  });
});

describe('formatDuration', () => {
  const exact = recorded.filter((row) => row.ns !== undefined && BigInt(row.ns) ** 2n < 2n ** 104n);

  test.each(exact)('prints $in as Go does', (row) => {
    expect(formatDuration(Number(row.ns) / 1e6)).toBe(row.text);
  });

  test('returns a text that is parsed to the same duration', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (us) => {
        const duration = Number(`${us}e-3`);
        expect(parseDuration(formatDuration(duration))).toBe(duration);
      }),
    );
  });

  test('rejects numbers that are not finite', () => {
    expect(() => formatDuration(Number.NaN)).toThrow(RangeError);
    expect(() => formatDuration(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });
});

describe('humanDuration', () => {
  test.each([
    [-5000, '<invalid>'],
    [-2000, '<invalid>'],
    [-1500, '0s'],
    [-1000, '0s'],
    [-500, '0s'],
    [0, '0s'],
    [900, '0s'],
    [1000, '1s'],
    [59000, '59s'],
    [60000, '60s'],
    [119000, '119s'],
    [119900, '119s'],
    [120000, '2m'],
    [121000, '2m1s'],
    [150000, '2m30s'],
    [599000, '9m59s'],
    [600000, '10m'],
    [3599000, '59m'],
    [3600000, '60m'],
    [10799000, '179m'],
    [10800000, '3h'],
    [10860000, '3h1m'],
    [28799000, '7h59m'],
    [28800000, '8h'],
    [90000000, '25h'],
    [172799000, '47h'],
    [172800000, '2d'],
    [176400000, '2d1h'],
    [691199000, '7d23h'],
    [691200000, '8d'],
    [31535999000, '364d'],
    [63071999000, '729d'],
    [63072000000, '2y'],
    [63158400000, '2y1d'],
    [252287999000, '7y364d'],
    [252288000000, '8y'],
    [300000000000, '9y'],
  ])('prints %d ms as kubectl does: %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
