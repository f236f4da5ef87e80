import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonInSteps } from './json-steps.ts';

function made(value: object): { text: string; steps: number } {
  const work = jsonInSteps(value, 8_000);
  for (let steps = 0; ; steps++) {
    const { done, value: text } = work.next();
    if (done === true) return { text, steps };
  }
}

const long = (length: number) => Array.from({ length }, (_, at) => ({ name: `n${at}`, at }));

describe('a value that is formatted in steps', () => {
  test.each<[string, object, number]>([
    ['a small object', { a: [1, 'b', null] }, 0],
    ['a list', long(20_000), 7],
    ['an object', Object.fromEntries(long(20_000).map(({ name, at }) => [name, at])), 2],
    ['lists in lists', { a: { b: [[long(10_000), 'x'], long(10_000)], c: undefined }, d: 1 }, 10],
    ['names of inherited properties', JSON.parse(`{"__proto__":${JSON.stringify(long(9_000))},"1":2}`) as object, 4],
    ['long strings', { a: 'ä'.repeat(1_000_000), b: ['x'.repeat(1_000_000)], c: undefined, d: 'y' }, 3],
    ['undefined members', { a: long(9_000), b: undefined, c: [undefined, ...long(9_000)] }, 8],
  ])('has the text of JSON.stringify: %s', (_title, value, min) => {
    const { text, steps } = made(value);
    expect(text === JSON.stringify(value)).toBe(true);
    expect(steps).toBeGreaterThanOrEqual(min);
  });

  test('has the text of JSON.stringify, whatever the value', () => {
    const large = fc.tuple(fc.array(fc.jsonValue(), { maxLength: 20 }), fc.integer({ min: 1, max: 3_000 }));
    const property = fc.property(large, ([items, times]) => {
      const value = { all: Array.from({ length: times }, () => items), one: items };
      expect(made(value).text).toBe(JSON.stringify(value));
    });
    fc.assert(property, { numRuns: 30 });
  });

  test('takes more steps if it is larger, but not longer ones', () => {
    const [few, many] = [made(long(10_000)), made(long(100_000))];
    expect(many.steps / few.steps).toBeGreaterThan(8);
    expect(many.steps / few.steps).toBeLessThan(14);
  });
});
