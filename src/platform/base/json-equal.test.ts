import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonEqual } from './json-equal.ts';

/** Formats JSON with sorted members, so that equal texts are equal values. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

describe('two values are equal as JSON', () => {
  test.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: undefined, b: 1 }, { b: 1 }, true],
    [{ a: undefined, b: 1 }, { b: 1, c: undefined }, true],
    [{ a: null }, {}, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{}, { constructor: 1 }, false],
    [{ toString: 1 }, {}, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(jsonEqual(a, b)).toBe(same);
    expect(jsonEqual(b, a)).toBe(same);
  });

  test('exactly if their texts with sorted members are', () => {
    const small = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(jsonEqual(a, b)).toBe(sorted(a) === sorted(b));
        expect(jsonEqual(a, structuredClone(a))).toBe(true);
      }),
    );
  });
});
