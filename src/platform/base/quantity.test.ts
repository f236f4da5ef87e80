import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from './errors.ts';
import recorded from './quantity.data.json' with { type: 'json' };
import {
  add,
  compare,
  div,
  formatQuantity,
  isZero,
  milliQuantityOf,
  milliValue,
  mul,
  negate,
  parseQuantity,
  type Quantity,
  quantityOf,
  ratio,
  sub,
  toNumber,
  tryParseQuantity,
  value,
} from './quantity.ts';

const parse = parseQuantity;
const anyText = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.integer({ min: 0, max: 10 ** 9 }),
    fc.option(fc.integer({ min: 0, max: 10 ** 9 }), { nil: undefined }),
    fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'e3', 'E-4', 'e17'),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`);
const anyQuantity = anyText.map(parse);
const canonical = ({ nano, format }: Quantity) => formatQuantity({ nano, format });

// The tables were recorded from k8s.io/apimachinery v0.36.3.
describe('parseQuantity and formatQuantity', () => {
  test.each(recorded.parsed.filter((row) => row.error === undefined))('$in is formatted as $out', (row) => {
    const quantity = parse(row.in);
    expect(formatQuantity(quantity)).toBe(row.out);
    expect(canonical(quantity)).toBe(row.canonical);
    expect(quantity.format).toBe(row.format);
  });

  test.each(recorded.parsed.filter((row) => row.error !== undefined))('$in is rejected: $error', (row) => {
    expect(() => parse(row.in)).toThrow(new ParseError(row.error ?? ''));
    expect(tryParseQuantity(row.in)).toBeUndefined();
  });

  test.each([
    [2, '2'],
    [0.5, '500m'],
    [100_000, '100k'],
    [-1.5, '-1500m'],
    [1e21, '1e+21'],
  ])('the JSON number %d is formatted as %s', (number, text) => {
    expect(formatQuantity(parse(number))).toBe(text);
    expect(tryParseQuantity(number)).toEqual(parse(number));
  });

  test.each(['1e1001', '1e-999999999999', `1${'0'.repeat(1000)}`])('%s is rejected as too large', (text) => {
    expect(() => parse(text)).toThrow(ParseError);
  });

  test.each([
    ['1E', '1000E'],
    ['-1E', '-1000E'],
    ['1024Pi', '1000Ei'],
  ])('a thousand times %s keeps the largest suffix: %s', (text, thousandfold) => {
    expect(formatQuantity(mul(parse(text), 1000))).toBe(thousandfold);
  });

  test('a formatted quantity is parsed to the same amount', () => {
    fc.assert(
      fc.property(anyQuantity, (quantity) => {
        expect(compare(parse(formatQuantity(quantity)), quantity)).toBe(0);
        expect(compare(parse(canonical(quantity)), quantity)).toBe(0);
      }),
    );
  });

  test('the canonical form is its own canonical form', () => {
    fc.assert(
      fc.property(anyQuantity, (quantity) => {
        expect(canonical(parse(canonical(quantity)))).toBe(canonical(quantity));
      }),
    );
  });
});

describe('arithmetic', () => {
  test.each(recorded.sums)('$a and $b add and subtract as in Kubernetes', (row) => {
    const [a, b] = [parse(row.a), parse(row.b)];
    expect(formatQuantity(add(a, b))).toBe(row.sum);
    expect(formatQuantity(sub(a, b))).toBe(row.difference);
    expect(compare(a, b)).toBe(row.order);
  });

  test('adding and then subtracting returns the same amount', () => {
    fc.assert(
      fc.property(anyQuantity, anyQuantity, (a, b) => {
        expect(compare(sub(add(a, b), b), a)).toBe(0);
        expect(compare(add(a, b), add(b, a))).toBe(0);
        expect(compare(add(a, negate(b)), sub(a, b))).toBe(0);
        expect(isZero(sub(a, a))).toBe(true);
      }),
    );
  });

  test('the order is total and preserved by addition', () => {
    fc.assert(
      fc.property(anyQuantity, anyQuantity, anyQuantity, (a, b, c) => {
        expect(compare(a, b) + compare(b, a)).toBe(0);
        expect(compare(add(a, c), add(b, c))).toBe(compare(a, b));
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test.each([
    ['1Gi', '1.5', 1, '1536Mi'],
    ['100m', 3, 1, '300m'],
    ['1', 1, 3, '333333334n'],
    ['-1', 1, 3, '-333333334n'],
    ['1', -1, 3, '-333333334n'],
    ['10', '0.1', 1, '1'],
    ['3', '1e3', '-1.5', '-2k'],
    ['4Gi', 2n, 4n, '2Gi'],
    ['1', '1e-9', 1, '1n'],
  ])('%s times %s over %s is %s', (quantity, factor, divisor, result) => {
    expect(formatQuantity(mul(parse(quantity), factor, divisor))).toBe(result);
  });

  test('multiplying by a fraction and back is exact where the result is', () => {
    fc.assert(
      fc.property(anyQuantity, fc.integer({ min: 1, max: 10 ** 6 }), (quantity, n) => {
        expect(compare(div(mul(quantity, n), n), quantity)).toBe(0);
      }),
    );
  });

  test('a factor that is not a decimal number, and a zero divisor, are rejected', () => {
    expect(() => mul(parse('1'), 'x')).toThrow('"x" is not a decimal number');
    expect(() => mul(parse('1'), Number.NaN)).toThrow(ParseError);
    expect(() => div(parse('1'), 0)).toThrow(RangeError);
    expect(() => ratio(parse('1'), parse('0Ki'))).toThrow(RangeError);
  });

  test('the ratio of two amounts does not depend on their notation', () => {
    expect(ratio(parse('1500m'), parse('3'))).toBe(0.5);
    expect(ratio(parse('1Gi'), parse('1Mi'))).toBe(1024);
  });
});

describe('conversions', () => {
  test.each([
    ['1500m', 1.5, 2, 1500],
    ['-1500m', -1.5, -2, -1500],
    ['1', 1, 1, 1000],
    ['1n', 1e-9, 1, 1],
    ['-1u', -1e-6, -1, -1],
    ['1001u', 0.001001, 1, 2],
    ['64Gi', 68_719_476_736, 68_719_476_736, 68_719_476_736_000],
    ['0', 0, 0, 0],
  ])('%s is %d, whole %d, in thousandths %d', (text, number, whole, thousandths) => {
    expect([toNumber(parse(text)), value(parse(text)), milliValue(parse(text))]).toEqual([number, whole, thousandths]);
  });

  test('quantities are created from whole units and thousandths', () => {
    expect(formatQuantity(quantityOf(2 ** 31, 'BinarySI'))).toBe('2Gi');
    expect(formatQuantity(quantityOf(5000n))).toBe('5k');
    expect(formatQuantity(milliQuantityOf(2500))).toBe('2500m');
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        expect(value(quantityOf(n))).toBe(n);
        expect(milliValue(milliQuantityOf(n))).toBe(n);
      }),
    );
  });
});
