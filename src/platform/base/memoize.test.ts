import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoize } from './memoize.ts';

describe('a memoized result', () => {
  test('is computed once while it is used', () => {
    let requested = 0;
    const length = memoize(2, (text) => {
      requested++;
      return text.length;
    });
    for (let i = 0; i < 10; i++) expect(length('abc')).toBe(3);
    expect(requested).toBe(1);
  });

  test('is evicted after many others', () => {
    const requested: string[] = [];
    const length = memoize(2, (text) => requested.push(text));
    for (const text of ['a', 'b', 'c', 'd', 'e', 'a']) length(text);
    expect(requested.filter((text) => text === 'a')).toHaveLength(2);
  });

  test('is not kept for a long text', () => {
    let requested = 0;
    const length = memoize(2, () => ++requested);
    const long = 'x'.repeat(1000);
    expect([length(long), length(long)]).toEqual([1, 2]);
  });

  test('is always that of the function itself', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab]{0,3}$/)), (texts) => {
        const upper = memoize(2, (text) => text.toUpperCase());
        for (const text of texts) expect(upper(text)).toBe(text.toUpperCase());
      }),
    );
  });

  test('is computed again after a failure', () => {
    let requested = 0;
    const fails = memoize(2, () => {
      requested++;
      throw new Error('no');
    });
    expect(() => fails('a')).toThrow('no');
    expect(() => fails('a')).toThrow('no');
    expect(requested).toBe(2);
  });
});
