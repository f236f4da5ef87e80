import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exceedsBytes, utf8Length } from './utf8.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
const encoded = (text: string) => new TextEncoder().encode(text).length;

it.each([
  ['', 0],
  ['a', 1],
  ['ü', 2],
  ['€', 3],
  ['😀', 4],
  ['\ud83d', 3],
  ['\ude00\ud83d', 6],
])('%j takes %i bytes', (text, bytes) => {
  expect(utf8Length(text)).toBe(bytes);
});

it('counts the bytes of any encoded text, including lone surrogates', () => {
  fc.assert(fc.property(texts, (text) => utf8Length(text) === encoded(text)));
});

it('compares the length of a text with a limit', () => {
  fc.assert(fc.property(texts, fc.nat({ max: 40 }), (text, max) => exceedsBytes(text, max) === encoded(text) > max));
});
