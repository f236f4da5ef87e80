import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson } from './json-copy.ts';

describe('copyJson', () => {
  it('equals parsing the JSON text, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(copyJson(value))).toBe(text);
        expect(JSON.stringify(copyJson(JSON.parse(text)))).toBe(text);
      }),
    );
  });

  it('shares nothing with the original', () => {
    const original = { a: [{ b: 1 }], c: {} };
    const copied = copyJson(original);
    copied.a[0]!.b = 2;
    Object.assign(copied.c, { d: 1 });
    expect(original).toEqual({ a: [{ b: 1 }], c: {} });
  });

  it('keeps a member named __proto__ as data, and drops undefined', () => {
    const odd = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as object;
    const copied = copyJson({ odd, gone: undefined });
    expect(JSON.stringify(copied)).toBe('{"odd":{"__proto__":{"x":1},"constructor":2}}');
    expect(Object.getPrototypeOf(copied.odd)).toBe(Object.prototype);
  });
});
