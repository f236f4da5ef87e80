import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GenerationalCache } from './generational-cache.ts';

test('keeps entries that were used recently, and evicts others', () => {
  const cache = new GenerationalCache<number, string>({ maxEntries: 4096 });
  for (let i = 0; i < 10_000; i++) {
    cache.set(i, `v${i}`);
    expect(cache.get(0)).toBe('v0');
  }
  expect(cache.get(9_999)).toBe('v9999');
  expect(cache.get(1)).toBeUndefined();
});

test('evicts by weight before the maximum number is reached', () => {
  const cache = new GenerationalCache<number, string>({ maxEntries: 4096, maxWeight: 16, weightOf: () => 4 });
  for (let i = 0; i < 100; i++) cache.set(i, `v${i}`);
  expect(cache.size).toBeLessThanOrEqual(8);
  expect(cache.get(99)).toBe('v99');
});

test('counts weight that is added later', () => {
  const cache = new GenerationalCache<number, string>({ maxEntries: 4096, maxWeight: 16 });
  for (let i = 0; i < 100; i++) {
    cache.addWeight(4);
    cache.set(i, `v${i}`);
  }
  expect(cache.size).toBeLessThanOrEqual(10);
});

test('reports an eviction once, and does not evict an entry that is used again', () => {
  const evicted: string[] = [];
  const cache = new GenerationalCache<number, string>({ maxEntries: 2, onEvict: (value) => evicted.push(value) });
  for (const key of [1, 2, 3, 1, 4, 5]) cache.getOrCreate(key, () => `v${key}`);
  expect(evicted).toEqual(['v2']);
  expect(cache.generation).toBe(3);
});

test('contains the newest entries, and never more than twice as many', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(12)), (maxEntries, keys) => {
      const evicted: number[] = [];
      const cache = new GenerationalCache<number, number>({ maxEntries, onEvict: (value) => evicted.push(value) });
      for (const [i, key] of keys.entries()) cache.getOrCreate(key, () => i);
      const used = [...new Set(keys.toReversed())];
      const recent = used.slice(0, maxEntries);
      expect(cache.size).toBeGreaterThanOrEqual(recent.length);
      expect(cache.size).toBeLessThanOrEqual(Math.min(used.length, 2 * maxEntries));
      expect(new Set(evicted).size).toBe(evicted.length);
      // Beginning with the oldest: looking up a newer one first could start a generation.
      for (const key of recent.toReversed()) expect(cache.getOrCreate(key, () => -1)).toBeGreaterThanOrEqual(0);
    }),
  );
});
