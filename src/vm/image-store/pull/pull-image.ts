import { text } from 'node:stream/consumers';
import { discard } from '#vm/images/web';
import type { CachedImage } from '../cache/image-record.ts';
import { lockPull } from '../cache/pull-lock.ts';
import { type Checksum, parseChecksum } from '../download/content-hash.ts';
import { ImageError } from '../image-error.ts';
import { type CatalogEntry } from '../marketplace/catalog.ts';
import { digestInList, fileNameIn } from '../marketplace/checksum-list.ts';
import { mirroredName } from '../source/image-mirrors.ts';
import type { ImageTarget } from './image-target.ts';
import type { PullContext } from './pull-context.ts';
import { pullRegistryImage } from './pull-registry-image.ts';
import { catalogError, type PulledImage, pullFile, s3File, webFile } from './pull-web-image.ts';

const MAX_LIST_BYTES = 4 * 2 ** 20;

/** Pulls an image into the cache, and records what its name means now. */
export async function pullImage(target: ImageTarget, context: PullContext): Promise<CachedImage> {
  const { cache, clock, signal } = context;
  const unlock = await lockPull(`${cache.partialPath(target.key)}.lock`, clock, signal);
  try {
    const known = await cache.reference(target.key);
    const present = known === undefined ? undefined : await cache.find(known.digest);
    const pulled = await fetchFrom(target, present === undefined ? undefined : known?.tag, context);
    // Without a result, the server has no other version than the known one.
    const image = pulled?.image ?? present;
    if (image === undefined) throw new ImageError('ErrImagePull', `${target.shown} was not sent by its server`);
    const tag = pulled === undefined ? known?.tag : pulled.tag;
    await cache.putReference(target.key, {
      source: target.shown,
      scope: target.scope,
      digest: image.record.digest,
      ...(tag === undefined ? {} : { tag }),
      resolvedAt: clock.now(),
    });
    return image;
  } finally {
    await unlock();
  }
}

async function fetchFrom(
  target: ImageTarget,
  knownTag: string | undefined,
  context: PullContext,
): Promise<PulledImage | undefined> {
  const { source, credentials, checksum } = target;
  const condition = knownTag === undefined ? {} : { knownTag };
  switch (source.kind) {
    case 'registry':
      return { image: await pullRegistryImage(source, target, context) };
    case 'web':
      return await pullFile({ ...webFile(source.url, credentials, checksum), ...condition }, target, context);
    case 's3': {
      const file = s3File(source, credentials, { checksum, now: () => context.clock.now() });
      return await pullFile({ ...file, ...condition }, target, context);
    }
    case 'marketplace':
      return await pullFile(await catalogFile(source.name, context), target, context);
    case 'local':
      throw new ImageError('ErrImagePull', `${target.shown} is an image of this host, which is not pulled`);
  }
}

/** Returns the file of a catalog entry with its digest, which the vendor publishes beside it. */
async function catalogFile(name: string, context: PullContext) {
  const { catalog, mirrors } = context;
  const entry = Object.hasOwn(catalog, name) ? catalog[name] : undefined;
  if (entry === undefined) {
    throw catalogError(name, `not in the catalog, which has ${Object.keys(catalog).sort().join(', ')}`);
  }
  const checksum = await catalogChecksum(name, entry, context);
  return webFile(mirroredName(entry.url, mirrors), {}, checksum);
}

async function catalogChecksum(name: string, entry: CatalogEntry, context: PullContext): Promise<Checksum> {
  const { checksum, checksums, url } = entry;
  const fixed = checksum === undefined ? undefined : parseChecksum(checksum);
  if (fixed !== undefined) return fixed;
  if (checksums === undefined) throw catalogError(name, 'the catalog names no checksum');
  const list = await fetchList(name, mirroredName(checksums.url, context.mirrors), context);
  const hex = digestInList(list, fileNameIn(url));
  const found = hex === undefined ? undefined : parseChecksum(`${checksums.algorithm}:${hex}`);
  if (found === undefined) throw catalogError(name, `${fileNameIn(url)} is not in the vendor's list of checksums`);
  return found;
}

async function fetchList(name: string, url: string, { web, signal }: PullContext): Promise<string> {
  const response = await web(url, { method: 'GET', headers: {}, signal });
  if (response.status !== 200) {
    await discard(response);
    throw catalogError(name, `the list of checksums is not available (the server returned ${response.status})`);
  }
  async function* limitChunks() {
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_LIST_BYTES) throw catalogError(name, 'the list of checksums is too large');
      yield chunk;
    }
  }
  return await text(limitChunks());
}
