import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CachedImage } from './image-record.ts';
import { planPrune, watermarkTarget } from './plan-prune.ts';

const imageOf = (path: string, storedBytes: number, links = 1, usedAt = 0) =>
  ({ path, storedBytes, links, usedAt }) as CachedImage;
const pathsOf = (images: readonly CachedImage[]) => images.map(({ path }) => path);
const request = { now: 1000, targetBytes: 0, minAgeMs: 100 };

it('deletes unused images, the least recently used first, until the rest is small enough', () => {
  const images = [
    imageOf('new', 10, 1, 500),
    imageOf('old', 10, 1, 100),
    imageOf('used', 10, 2),
    imageOf('fresh', 10, 1, 950),
  ];
  expect(pathsOf(planPrune(images, request))).toEqual(['old', 'new']);
  expect(pathsOf(planPrune(images, { ...request, targetBytes: 30 }))).toEqual(['old']);
  expect(pathsOf(planPrune(images, { ...request, targetBytes: 40 }))).toEqual([]);
});

it('never deletes an image that is in use or was just used', () => {
  const image = fc.record({ storedBytes: fc.nat(100), links: fc.integer({ min: 1, max: 3 }), usedAt: fc.nat(1000) });
  fc.assert(
    fc.property(fc.array(image), fc.nat(500), (images, targetBytes) => {
      const deleted = planPrune(images as unknown as CachedImage[], { ...request, targetBytes });
      expect(deleted.every(({ links, usedAt }) => links === 1 && usedAt <= 900)).toBe(true);
    }),
  );
});

it.each([
  [50, undefined],
  [85, undefined],
  [86, 34],
  [99, 21],
])('a disk that is used to %i of 100 leaves 40 bytes of images %s', (used, target) => {
  expect(watermarkTarget({ totalBytes: 100, availableBytes: 100 - used }, 40)).toBe(target);
});
