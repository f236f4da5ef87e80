import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainBytes, intendedBytes, isTooFewBytes } from './intended-bytes.ts';
import { parseQuantity, tryParseQuantity } from './quantity.ts';

describe('intendedBytes', () => {
  it.each([
    ['8', '8Gi'],
    [8, '8Gi'],
    ['0.5', '0.5Gi'],
    ['512', '512Mi'],
    ['4096', '4096Mi'],
    ['4GB', '4Gi'],
    ['4gb', '4Gi'],
    ['4 GiB', '4Gi'],
    ['4 Gi', '4Gi'],
    ['4gi', '4Gi'],
    ['4g', '4Gi'],
    ['512m', '512Mi'],
    ['512MB', '512Mi'],
    ['1.5GB', '1.5Gi'],
    ['2TB', '2Ti'],
    ['2048kb', '2048Ki'],
    ['much', undefined],
    ['', undefined],
    ['-4GB', undefined],
    ['0', undefined],
    ['4Gi', undefined],
    ['1k', undefined],
  ])('corrects memory of %j to %s', (written, intended) => {
    expect(intendedBytes(written, 'memory')).toBe(intended);
  });

  it('takes a plain number for a disk as GiB', () => {
    expect(intendedBytes('500', 'disk')).toBe('500Gi');
  });

  it('never suggests an amount that would be rejected again', () => {
    const written = fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{1,4}(\.[0-9])? ?[kKmMgGtT]?i?[bB]?$/));
    fc.assert(
      fc.property(written, fc.constantFrom('memory', 'disk'), (text, what) => {
        const intended = intendedBytes(text, what);
        if (intended === undefined) return;
        const amount = tryParseQuantity(intended);
        expect(amount !== undefined && !isTooFewBytes(amount)).toBe(true);
      }),
    );
  });
});

it.each([
  ['8', '8 without a suffix is 8 bytes; did you mean 8Gi?'],
  ['512m', 'm means thousandths of a byte; did you mean 512Mi?'],
  ['4GB', 'did you mean 4Gi?'],
  ['much', ''],
])('explains %s', (written, explanation) => {
  expect(explainBytes(written, 'memory')).toBe(explanation);
});

it('rejects less than a megabyte', () => {
  expect([isTooFewBytes(parseQuantity('999k')), isTooFewBytes(parseQuantity('1M'))]).toEqual([true, false]);
});
