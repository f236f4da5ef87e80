import { expect, test } from 'vitest';
import { ParsedObjects } from './parsed-objects.ts';
import type { Entry } from './store/store.ts';

function entryOf(i: number, data: string, memo?: object): Entry {
  const value = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `c${i}` }, data: { a: data } });
  return { key: `/k${i}`, value, revision: i, createRevision: i, memo };
}

const many = (count: number, data = '') => Array.from({ length: count }, (_, i) => entryOf(i, data));

test('a cache of parsed objects does not retain many objects of half a megabyte', () => {
  const parsed = new ParsedObjects();
  const entries = many(200, 'x'.repeat(500_000));
  const first = parsed.get(entries[0] as Entry);
  expect(parsed.get(entries[0] as Entry)).toBe(first);
  for (const entry of entries) parsed.get(entry);
  expect(parsed.get(entries[0] as Entry)).not.toBe(first);
});

test('an object that is read repeatedly is parsed once, whatever is read in between', () => {
  const parsed = new ParsedObjects();
  const desired = entryOf(0, 'wanted');
  const first = parsed.get(desired);
  for (const entry of many(30_000)) {
    parsed.get(entry);
    expect(parsed.get(desired)).toBe(first);
  }
});

test('an object equals its text at any time, however seldom it is read', () => {
  const parsed = new ParsedObjects();
  const entries = many(9_001);
  for (let round = 0; round < 3; round++) {
    for (const [i, entry] of entries.entries()) expect(parsed.get(entry).metadata.name).toBe(`c${i}`);
  }
});

test('a written object is not parsed while it is cached, nor later while it is referenced', () => {
  const parsed = new ParsedObjects();
  const { memo: _none, ...stored } = entryOf(0, 'written');
  const object = JSON.parse(stored.value);
  const entry: Entry = { ...stored, memo: parsed.memoOf(object) };
  expect(parsed.get(entry)).toBe(object);
  for (const other of many(20_000)) parsed.get(other);
  expect(parsed.get(entry)).toBe(object);
});

test('a written object that is never read is released', () => {
  const parsed = new ParsedObjects();
  const memos = Array.from({ length: 20_000 }, (_, i) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `c${i}` } };
    parsed.textOf(object);
    const memo: { readonly object?: unknown } = parsed.memoOf(object);
    return memo;
  });
  expect(memos.filter(({ object }) => object !== undefined).length).toBeLessThanOrEqual(8192);
});
