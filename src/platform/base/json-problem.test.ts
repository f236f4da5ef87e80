import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProblem } from './json-problem.ts';

describe('the problem of a JSON text', () => {
  // The messages are those of Go's encoding/json.
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['tru', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['trap', "invalid character 'a' in literal true (expecting 'u')"],
    ['nil', "invalid character 'i' in literal null (expecting 'u')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\u0000', "invalid character '\\x00' looking for beginning of value"],
    ['ä', "invalid character 'Ã' looking for beginning of value"],
  ])('%j is %s', (text, said) => {
    expect(jsonProblem(text)).toBe(said);
  });

  it('is found in every invalid text, and in no valid one', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-0.5e+7',
      'true',
      'null',
      ' ',
      '\\',
      'x',
    );
    const broken = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          broken,
          fc.json(),
          fc.json().map((text) => text.slice(1)),
        ),
        (text) => {
          expect(jsonProblem(text) === 'invalid JSON').toBe(isJson(text));
        },
      ),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
