import { expect, test } from 'vitest';
import { GenerationalCache } from './generational-cache.ts';

const found = (recent: GenerationalCache<number, string>, key: number) => recent.young(key) ?? recent.old(key);

test('what is used lately is kept, and what is not is forgotten', () => {
  const recent = new GenerationalCache<number, string>(4096);
  for (let i = 0; i < 10_000; i++) {
    recent.keep(i, `v${i}`, 1);
    if (recent.young(0) === undefined) recent.keep(0, 'v0', 1);
  }
  expect(found(recent, 0)).toBe('v0');
  expect(found(recent, 9_999)).toBe('v9999');
  expect(found(recent, 1)).toBeUndefined();
});

test('a few heavy things push out each other long before their number would', () => {
  const recent = new GenerationalCache<number, string>(4096);
  for (let i = 0; i < 100; i++) recent.keep(i, `v${i}`, 4 * 1024 * 1024);
  const left = Array.from({ length: 100 }, (_, i) => i).filter((i) => found(recent, i) !== undefined);
  expect(left.length).toBeLessThanOrEqual(8);
  expect(left.at(-1)).toBe(99);
});
