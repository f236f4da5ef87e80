import { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { ImageFlags } from '#programs/cli/image-flags';
import { ImageCache } from '#vm/image-store/cache/image-cache';
import { watermarkTarget } from '#vm/image-store/cache/plan-prune';
import { pruneImages } from '#vm/image-store/cache/prune-images';
import { availableBytes, DEFAULT_IMAGE_LIMITS } from '#vm/image-store/image-limits';
import { ImageStore, type ImageStoreDeps } from '#vm/image-store/image-store';
import { type Catalog, catalogProblems, DEFAULT_CATALOG } from '#vm/image-store/marketplace/catalog';
import { checkedFetch } from '#vm/images/checked-fetch';
import { proxyFor } from '#vm/images/proxy';
import { type ImageFetch, webOf } from '#vm/images/web';

/** An image that was used since is not deleted, because a machine may be about to be started from it. */
export const MIN_UNUSED_MS = 5 * 60_000;

/** Directory of images on this host. */
export const imagesDirectory = (dataDir: string) => join(dataDir, 'images');

/** Opens the images of a data directory. */
export function openImageStore(
  dataDir: string,
  flags: ImageFlags,
  deps: { readonly clock: Clock; readonly log: Logger },
): { readonly store: ImageStore; readonly cache: ImageCache } {
  const root = imagesDirectory(dataDir);
  const cache = new ImageCache(root);
  const parts: ImageStoreDeps = {
    ...deps,
    cache,
    web: webOf(imageFetch(flags)),
    limits: DEFAULT_IMAGE_LIMITS,
    mirrors: flags.imageMirror,
    catalog: readCatalog(flags.imageCatalog),
    availableBytes: () => availableBytes(root),
    localImages: root,
    sweep: () => sweepImages(root, cache, deps.clock),
  };
  return { store: new ImageStore(parts), cache };
}

/** Deletes unused images if the disk is nearly full. */
async function sweepImages(root: string, cache: ImageCache, clock: Clock): Promise<void> {
  const images = await cache.list();
  const cached = images.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  const { blocks, bavail, bsize } = await statfs(root);
  const targetBytes = watermarkTarget({ totalBytes: blocks * bsize, availableBytes: bavail * bsize }, cached);
  if (targetBytes === undefined) return;
  await pruneImages(cache, { now: clock.now(), targetBytes, minAgeMs: MIN_UNUSED_MS });
}

/** Returns the fetch for images, as the flags and the environment configure it. */
export function imageFetch({ imageHosts, imageCaFile }: Pick<ImageFlags, 'imageHosts' | 'imageCaFile'>): ImageFetch {
  const ca = imageCaFile === undefined ? {} : { ca: readSetting('--image-ca-file', imageCaFile) };
  return checkedFetch(imageHosts, lookup, { ...ca, proxyFor: (url) => proxyFor(url, process.env) });
}

/** Reads the catalog of the marketplace. Its images are added to those that are known anyway. */
function readCatalog(file: string | undefined): Catalog {
  if (file === undefined) return DEFAULT_CATALOG;
  const read: unknown = parse(readSetting('--image-catalog', file));
  const problems = catalogProblems(read);
  if (problems.length > 0) throw new ConfigError(`--image-catalog ${file}: ${problems.join('; ')}`);
  return { ...DEFAULT_CATALOG, ...(read as { readonly images: Catalog }).images };
}

function readSetting(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${flag}: cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
}
