import { expect, test } from 'vitest';
import { parseFiniteJson } from './finite-json.ts';

test.each([
  '1e400',
  '-1e400',
  '1E+309',
  '[0, {"a": 2e308}]',
  `${'9'.repeat(300)}e99`,
  `{"b":[${'9'.repeat(250)}e+60]}`,
  '9'.repeat(309),
  `-${'9'.repeat(400)}.5`,
])('rejects %s as too large', (text) => {
  expect(() => parseFiniteJson(text)).toThrow(SyntaxError);
});

test.each(['1e308', '1e-400', '"1e400"', '{"1e400": 1}', '"\\"1e400"', '9'.repeat(308), `0.${'9'.repeat(400)}`])(
  'accepts %s',
  (text) => {
    expect(parseFiniteJson(text)).toEqual(JSON.parse(text));
  },
);

test('quotes the number as it was written', () => {
  const words = 'json: cannot unmarshal number -1e400 into Go value of type float64';
  expect(() => parseFiniteJson('{"1e400":"\\"1e400","a":[1,-1e400]}')).toThrow(words);
});
