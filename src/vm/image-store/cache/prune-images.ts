import type { ImageCache } from './image-cache.ts';
import type { CachedImage } from './image-record.ts';
import { type PruneRequest, planPrune } from './plan-prune.ts';

/** Parts of downloads that nobody has continued for so long are deleted. */
const MAX_PARTIAL_AGE_MS = 7 * 24 * 60 * 60_000;

/** Deletes unused images, names that lead to none, and what is left of downloads that were given up. */
export async function pruneImages(cache: ImageCache, request: PruneRequest): Promise<readonly CachedImage[]> {
  const images = await cache.list();
  const deleted = planPrune(images, request);
  for (const { record } of deleted) await cache.remove(record.digest);
  const present = new Set((await cache.list()).map(({ record }) => record.digest));
  for (const [id, { digest }] of await cache.references()) {
    if (!present.has(digest)) await cache.removeReference(id);
  }
  await cache.removeLeftovers(request.now - MAX_PARTIAL_AGE_MS);
  return deleted;
}
