import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, parseLargeJson } from './json-text.ts';

describe('JSON of a client', () => {
  it('is parsed as by JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['"\\ud800"', '\ufffd'],
    ['"\\udc00 x"', '\ufffd x'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\ud83d\\ud83d\\ude00"', '\ufffd😀'],
    ['"\\\\ud800"', '\\ud800'],
    ['"\\\\\\ud800"', '\\\ufffd'],
    ['{"\\uDFFF":1}', { '\ufffd': 1 }],
  ])('has lone surrogates replaced: %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it('is rejected if it is nested too deeply', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parseJson(nested(1_000))).toEqual(JSON.parse(nested(1_000)));
    expect(() => parseJson(nested(1_001))).toThrow('exceeded max depth');
    expect(() => parseJson('{"a":'.repeat(200_000))).toThrow('exceeded max depth');
  });

  it('may contain any number of brackets in strings and in sequence', () => {
    const text = `["${'[{\\"'.repeat(2_000)}", ${'[],'.repeat(2_000)} []]`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe('long JSON', () => {
  it.each([
    ['is nested too deeply', '['.repeat(1_000_000), 'exceeded max depth'],
    ['has too many objects and lists', `[${'{},'.repeat(400_000)}{}]`, '100000 objects and lists'],
    ['has too many entries', `[${'1,'.repeat(500_000)}1]`, '50000 entries'],
  ])('yields to other requests while it is checked whether it %s', async (_title, text, refusal) => {
    let pauses = 0;
    const pause = async (): Promise<void> => void pauses++;
    await expect(parseLargeJson(text, pause)).rejects.toThrow(refusal);
    expect(pauses).toBe(Math.floor((text.length - 1) / (256 * 1024)));
  });
});
