import { expect, test } from 'vitest';
import { WatchLines } from './watch-lines.ts';

const item = (text: string, type: 'ADDED' | 'MODIFIED' = 'ADDED') => ({ type, text });

test('a line contains the type and the object', () => {
  expect(new WatchLines().of(item('{"a":1}'))).toBe('{"type":"ADDED","object":{"a":1}}\n');
});

test('the same change is formatted as the same line for all watchers', () => {
  const lines = new WatchLines();
  const texts = Array.from({ length: 30 }, (_, at) => `{"at":${at}}`);
  const first = texts.map((text) => lines.of(item(text)));
  expect(texts.map((text) => lines.of(item(text)))).toEqual(first);
  expect(lines.of(item('{"at":0}', 'MODIFIED'))).toBe('{"type":"MODIFIED","object":{"at":0}}\n');
});

test('lines stay correct if there are more changes than are cached', () => {
  const lines = new WatchLines();
  const texts = Array.from({ length: 100 }, (_, at) => `{"at":${at}}`);
  for (const text of [...texts, ...texts]) expect(lines.of(item(text))).toContain(text);
});
