import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '#testing/runs';
import { assertExactIntegers } from './exact-integers.ts';

it('rejects exactly the 64-bit integers that would lose digits, wherever they occur', () => {
  const integer = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 2n ** 52n, max: 2n ** 55n }),
  );
  fc.assert(
    fc.property(integer, fc.string(), fc.nat(40), (value, text, spaces) => {
      const json = `{${JSON.stringify(text)}:[1,"${value}",{"a":${' '.repeat(spaces)}${value}}]}`;
      const [, , { a }] = Object.values(JSON.parse(json))[0] as [number, string, { a: number }];
      if (String(a) === String(value)) assertExactIntegers(json);
      else expect(() => assertExactIntegers(json)).toThrow(`cannot keep all digits of ${value}`);
    }),
    { numRuns: runs(500) },
  );
});

it.each([
  '"9007199254740993"',
  '{"9007199254740993":1}',
  '"\\"9007199254740993"',
  '9007199254740993.5',
  '9223372036854775808',
  '1e300',
])('accepts %s', (json) => {
  expect(() => assertExactIntegers(json)).not.toThrow();
});
