import { expect, test } from 'vitest';
import { ParsedObjects } from './object-text.ts';
import { Recent } from './recent.ts';

const found = (recent: Recent<number, string>, key: number) => recent.young(key) ?? recent.old(key);

test('what is used lately is kept, and what is not is forgotten', () => {
  const recent = new Recent<number, string>();
  for (let i = 0; i < 10_000; i++) {
    recent.keep(i, `v${i}`, 1);
    if (recent.young(0) === undefined) recent.keep(0, 'v0', 1);
  }
  expect(found(recent, 0)).toBe('v0');
  expect(found(recent, 9_999)).toBe('v9999');
  expect(found(recent, 1)).toBeUndefined();
  recent.forget(9_999);
  expect(found(recent, 9_999)).toBeUndefined();
});

test('a few heavy things push out each other long before their number would', () => {
  const recent = new Recent<number, string>();
  for (let i = 0; i < 100; i++) recent.keep(i, `v${i}`, 4 * 1024 * 1024);
  const left = Array.from({ length: 100 }, (_, i) => i).filter((i) => found(recent, i) !== undefined);
  expect(left.length).toBeLessThanOrEqual(8);
  expect(left.at(-1)).toBe(99);
});

test('objects of half a megabyte each do not pile up where they are parsed', () => {
  const parsed = new ParsedObjects();
  const value = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: { a: 'x'.repeat(500_000) } });
  const entries = Array.from({ length: 200 }, (_, i) => ({ key: `/k${i}`, value, revision: i, createRevision: i }));
  const first = parsed.get(entries[0] as never);
  expect(parsed.get(entries[0] as never)).toBe(first);
  for (const entry of entries) parsed.get(entry);
  expect(parsed.get(entries[0] as never)).not.toBe(first);
});
