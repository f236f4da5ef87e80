import type { CachedImage } from './image-record.ts';

export interface PruneRequest {
  readonly now: number;
  /** Size that the images in the cache may have together. Those in use count, but are not deleted. */
  readonly targetBytes: number;
  /** An image that was used more recently stays, since a machine may be about to be started from it. */
  readonly minAgeMs: number;
}

/** Returns the images to delete, the least recently used first. An image with further links is in use. */
export function planPrune(images: readonly CachedImage[], request: PruneRequest): readonly CachedImage[] {
  const { now, targetBytes, minAgeMs } = request;
  let total = images.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  const unused = images.filter(({ links, usedAt }) => links === 1 && now - usedAt >= minAgeMs);
  const deleted: CachedImage[] = [];
  for (const image of unused.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (total <= targetBytes) break;
    total -= image.storedBytes;
    deleted.push(image);
  }
  return deleted;
}

/** Share of the disk above which unused images are deleted, and the one that is aimed at, as in a kubelet. */
const HIGH_WATERMARK = 0.85;
const LOW_WATERMARK = 0.8;

/**
 * Returns the size that the images may have together, by how full the disk is. Undefined if it is not full enough for
 * images to be deleted.
 */
export function watermarkTarget(
  disk: { readonly totalBytes: number; readonly availableBytes: number },
  cachedBytes: number,
): number | undefined {
  const used = disk.totalBytes - disk.availableBytes;
  if (used <= disk.totalBytes * HIGH_WATERMARK) return undefined;
  return Math.max(0, cachedBytes - (used - disk.totalBytes * LOW_WATERMARK));
}
