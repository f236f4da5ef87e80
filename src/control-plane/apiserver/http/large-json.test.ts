import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFiniteJson } from '#platform/base/finite-json';
import { parseInChunks } from './large-json.ts';

/** Returns the result of a parser: the value with the order of its members, or that the text is invalid. */
function outcomeOf(read: () => unknown): string | undefined {
  try {
    return JSON.stringify(read());
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'no JSON';
  }
}

async function inChunks(text: string, size: number): Promise<{ value: string | undefined; pauses: number }> {
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses++;
    return Promise.resolve();
  };
  try {
    return { value: JSON.stringify(await parseInChunks(text, { size, pause })), pauses };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return { value: 'no JSON', pauses };
  }
}

const size = fc.integer({ min: 1, max: 40 });

describe('JSON in chunks', () => {
  it('has the value of the whole text', async () => {
    const indent = fc.constantFrom(undefined, 1, '\t');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), size, indent, async (value, chunk, space) => {
        const text = JSON.stringify(value, null, space);
        expect((await inChunks(text, chunk)).value).toBe(outcomeOf(() => parseFiniteJson(text)));
      }),
    );
  });

  it('is rejected wherever the whole text is rejected', async () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom('', ',', '{', '}', '[', ']', '"', ':', '\\', ' ', '1'));
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), size, fc.array(damage, { maxLength: 3 }), async (value, chunk, places) => {
        let text = JSON.stringify(value);
        for (const [place, sign] of places) {
          const at = place % (text.length + 1);
          text = `${text.slice(0, at)}${sign}${text.slice(at + 1)}`;
        }
        expect((await inChunks(text, chunk)).value).toBe(outcomeOf(() => parseFiniteJson(text)));
      }),
      // A digit more can make a number larger than any that is stored.
      { numRuns: 500, examples: [[1.1e300, 1, [[6, '1']]]] },
    );
  });

  it.each(['{"a":1,"a":2}', '{"__proto__":{"x":1},"b":2}', '{"2":1,"1":2}', '{ }', '[ ]', '[1, ]', '[,1]', '{"a":1,}'])(
    'parses %s as in the whole text',
    async (text) => {
      expect((await inChunks(text, 1)).value).toBe(outcomeOf(() => parseFiniteJson(text)));
    },
  );

  it('pauses after each chunk', async () => {
    const text = JSON.stringify(Array.from({ length: 1000 }, (_, at) => at));
    expect((await inChunks(text, 100)).pauses).toBeGreaterThan(text.length / 200);
  });

  it('pauses while it searches for the end of a long value', async () => {
    const text = JSON.stringify({ outer: { inner: ['x'.repeat(100)].concat(Array(40_000).fill('y'.repeat(50))) } });
    const whole = 10 * text.length;
    expect((await inChunks(text, whole)).pauses).toBeLessThanOrEqual(1);
    // A chunk that holds nearly all of it: only the search pauses, on each of three levels.
    expect((await inChunks(text, text.length - 40)).pauses).toBeGreaterThan(6);
  });
});
