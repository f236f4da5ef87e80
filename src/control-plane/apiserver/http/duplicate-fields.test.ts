import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateFields } from './duplicate-fields.ts';

describe('duplicate fields', () => {
  it.each([
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":[{"c":1},{"c":1,"d":2,"c":3}]}}', ['a.b[1].c']],
    ['{"a":{"x":1},"b":{"x":1}}', []],
    ['{"a":["a","a"],"b":"{\\"a\\":1,\\"a\\":2}"}', []],
    ['{"a\\"b":1,"a\\"b":2}', ['a"b']],
    ['{"a":"\\\\","a":1}', ['a']],
    ['{"\\u0061":1,"a":2}', ['a']],
    ['[[1,2],{"a":1,"a":1}]', ['[1].a']],
    ['"text"', []],
    ['{"a":1,"a":1,"a":1}', ['a']],
    ['{"a":{"b":[[],[{"c":1,"c":2,"c":3}]]}}', ['a.b[1][0].c']],
  ])('of %s are %j', (text, paths) => {
    expect(duplicateFields(text)).toEqual(paths);
  });

  it('are never reported in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateFields(JSON.stringify(value))).toEqual([]);
      }),
    );
  });
});
