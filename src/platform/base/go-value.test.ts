import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { goJson, goNumber, goQuote } from './go-value.ts';

describe('formatting as Go does', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [2 ** 53, '9007199254740992'],
    [1e15, '1000000000000000'],
    [1e19, '1e+19'],
    [0.1, '0.1'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [123456.5, '123456.5'],
    [1234567.5, '1.2345675e+06'],
    [1e-100, '1e-100'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('formats the number %d as %s', (number, text) => {
    expect(goNumber(number)).toBe(text);
  });

  test('formats a finite number so that it is parsed to the same value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(Number(goNumber(number)) === number).toBe(true);
      }),
    );
  });

  test.each([
    ['a b', '"a b"'],
    ['\t\r\v\f\b', String.raw`"\t\r\v\f\b"`],
    ['\u0000\u00a0\u{e0001}', String.raw`"\x00\u00a0\U000e0001"`],
    ['\ud800', '"\ufffd"'],
  ])('quotes %j as %s', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });

  test('quotes plain text as JSON does', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'Z', '0', ' ', '.', '/', '"', '\\', 'é') });
    fc.assert(
      fc.property(plain, (text) => {
        expect(goQuote(text)).toBe(JSON.stringify(text));
      }),
    );
  });

  test('formats JSON so that it is parsed to the same value, in any order of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(goJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(goJson({ b: 1, a: { d: [2n], c: '<' } })).toBe(String.raw`{"a":{"c":"\u003c","d":[2]},"b":1}`);
    expect(goJson({ 9: 1, 10: 2, a: undefined })).toBe('{"10":2,"9":1}');
    expect(goJson(undefined)).toBe('null');
  });
});
