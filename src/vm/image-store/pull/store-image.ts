import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachedImage, ImageRecord } from '../cache/image-record.ts';
import { assertRoom } from '../image-limits.ts';
import { convertImage } from '../inspect/convert-image.ts';
import { compressionOfFile, readDecompressed } from '../unpack/decompress.ts';
import { writeSparse } from '../unpack/sparse-file.ts';
import type { PullContext } from './pull-context.ts';

/** File of an image as it was published. */
export interface PublishedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Name of the image without secrets. */
  readonly shown: string;
}

/** Unpacks and converts a published image, and adds it to the cache. */
export async function storeImage(file: PublishedFile, draft: string, context: PullContext): Promise<CachedImage> {
  const { cache, limits, signal, clock, onProgress, availableBytes } = context;
  let image = file.path;
  if ((await compressionOfFile(image)) !== undefined) {
    onProgress({ phase: 'Unpacking' });
    image = join(draft, 'unpacked');
    await writeSparse(image, readDecompressed(file.path, limits.fileBytes, signal), signal);
  }
  onProgress({ phase: 'Converting' });
  assertRoom(await availableBytes(), (await stat(image)).blocks * 512);
  const disk = join(draft, 'converted');
  const { inPlace, ...converted } = await convertImage(image, disk, limits, signal);
  if (inPlace) await rename(image, disk);
  const { sha256: digest, bytes, shown: source } = file;
  const record: ImageRecord = { digest, bytes, ...converted, source, fetchedAt: clock.now() };
  return await cache.commit(draft, disk, record);
}
