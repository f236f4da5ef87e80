import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { measureCpuMs } from '#testing/measure-cpu';
import { runs } from '#testing/runs';
import { readManifest } from './manifest.ts';

describe('a manifest', () => {
  it('may contain several documents, of which empty ones are ignored', () => {
    const text = '# first\na: 1\n---\n---\n\nb: 2\n---\n# nothing\n';
    expect(readManifest(text)).toEqual({
      documents: [
        { object: { a: 1 }, line: 2 },
        { object: { b: 2 }, line: 6 },
      ],
      problems: [],
    });
  });

  it('is parsed as by kubectl: YAML 1.1, JSON, and a List by its items', () => {
    expect(readManifest('a: yes\nb: 0755\nc: "yes"').documents[0]?.object).toEqual({ a: true, b: 493, c: 'yes' });
    expect(readManifest('{"a": [1, null]}').documents[0]?.object).toEqual({ a: [1, null] });
    const list = readManifest('apiVersion: v1\nkind: List\nitems: [{a: 1}, {b: 2}]');
    expect(list.documents.map(({ object }) => object)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it.each([
    ['52:54:00:12:34:56', '52:54:00:12:34:56'],
    ['1:30', '1:30'],
    ['2024-06-01', '2024-06-01'],
    ['2024-06-01T12:00:00Z', '2024-06-01T12:00:00Z'],
    ['!!binary aGVsbG8=', 'hello'],
    ['!!omap [x: 1]', [{ x: 1 }]],
    ['!!set {a, b}', { a: null, b: null }],
    ['1_000', 1000],
  ])('parses %s as kubectl does', (text, value) => {
    expect(readManifest(`a: ${text}`)).toEqual({ documents: [{ object: { a: value }, line: 1 }], problems: [] });
  });

  it('reports the position of an error, and still returns the valid documents', () => {
    const { documents, problems } = readManifest('a: 1\n---\nb: [\n---\nc: 3\n');
    expect(documents.map(({ object }) => object)).toEqual([{ a: 1 }, { c: 3 }]);
    expect(problems).toEqual([{ line: 4, column: 1, message: expect.stringContaining('Flow sequence') }]);
  });

  it.each([
    ['a duplicate key', 'a: 1\na: 2', 'unique'],
    ['a tab for indentation', 'a:\n\tb: 1', 'Tabs'],
    ['exponentially nested aliases', bomb(), 'resource exhaustion'],
    ['a recursive alias', 'a: &a [*a, {b: *a}]', 'nested deeper'],
    ['thousands of aliases', `${lines((i) => `- &k${i} ${i}`)}${lines((i) => `- *k${i}`)}`, 'too many aliases'],
    ['too many document markers', `[${'1,'.repeat(600_000)}]`, 'write it as JSON'],
    ['an unknown alias', 'a: *nowhere', 'Unresolved alias'],
    ['deep nesting', `${'['.repeat(800)}${']'.repeat(800)}`, 'nested deeper'],
    ['very deep nesting', '['.repeat(100_000), 'nested deeper'],
    ['an invalid number', 'a: [1, {b: .nan}]', 'NaN, which is not a JSON number'],
    ['an infinite number', 'a: -.inf', '-Infinity, which is not a JSON number'],
    ['invalid base64', 'a: !!binary "%"', 'base64'],
    ['too much text', 'x'.repeat(33 * 1024 * 1024), 'larger than 32 MiB'],
  ])('with %s is reported as a problem', (_name, text, message) => {
    const { documents, problems } = readManifest(text);
    expect(documents).toEqual([]);
    expect(problems[0]?.message).toContain(message);
  });

  it('takes little longer for many keys than for many items', () => {
    const [keys, items] = [lines((i) => `k${i}: ${i}`), `a:\n${lines((i) => `- k${i}`)}`].map((text) =>
      measureCpuMs(() => {
        const { documents, problems } = readManifest(text);
        expect([documents.length, problems.length]).toEqual([1, 0]);
      }),
    ) as [number, number];
    expect(keys).toBeLessThan(20 * items);
  });

  it('keeps a __proto__ key as a key', () => {
    const object = readManifest('a: {__proto__: {polluted: yes}}').documents[0]?.object as { a: object };
    expect(Object.keys(object.a)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is parsed to the object that was formatted', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(value !== null && JSON.stringify(value) !== undefined);
        const { documents, problems } = readManifest(stringify({ value }, { version: '1.1' }));
        expect(problems).toEqual([]);
        expect(JSON.stringify(documents[0]?.object)).toEqual(JSON.stringify({ value }));
      }),
    );
  });

  it('with any text never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        readManifest(text);
      }),
      { numRuns: runs(500) },
    );
  });
});

function lines(line: (i: number) => string): string {
  return Array.from({ length: 30_000 }, (_, i) => `${line(i)}\n`).join('');
}

function bomb(): string {
  const names = 'abcdefghi';
  const lines = names
    .slice(1)
    .split('')
    .map((name, i) => `${name}: &${name} [${`*${names[i]},`.repeat(9)}]`);
  return ['a: &a [x,x,x,x,x,x,x,x,x]', ...lines].join('\n');
}
