import { MAX_SCORE, type Score } from '../framework/score.ts';
import type { ImageState } from '../snapshot/images.ts';

const MIB = 1024 * 1024;
const MIN_THRESHOLD = 23 * MIB;
const MAX_CONTAINER_THRESHOLD = 1000 * MIB;

/**
 * Prefers nodes that already have the pod's images. An image on few nodes counts less, so that not all pods go there.
 */
export const imageLocalityScore: Score = {
  name: 'ImageLocality',
  prepare({ images }, { nodes }, { slots, count }) {
    const known = images.map((image) => nodes.images.get(image)).filter((state) => state !== undefined);
    const total = nodes.size;
    const max = MAX_CONTAINER_THRESHOLD * images.length;
    return {
      raw(scores) {
        for (let i = 0; i < count; i++) {
          if (known.length === 0) {
            scores[i] = 0;
            continue;
          }
          const sum = Math.min(Math.max(presentOf(known, slots[i] ?? 0, total), MIN_THRESHOLD), max);
          scores[i] = Math.floor((MAX_SCORE * (sum - MIN_THRESHOLD)) / (max - MIN_THRESHOLD));
        }
      },
    };
  },
};

function presentOf(known: readonly ImageState[], slot: number, total: number): number {
  let sum = 0;
  for (const { size, slots } of known) if (slots.has(slot)) sum += Math.trunc(size * (slots.size / total));
  return sum;
}
