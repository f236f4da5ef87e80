import { existsSync, readFileSync } from 'node:fs';
import { realClock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { noopLogger } from '#platform/base/logger';
import { formatTable } from '#programs/cli/format-table';
import type { ImageListSettings, ImagePruneSettings, ImagePullSettings } from '#programs/cli/image';
import type { Io } from '#programs/cli/io';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { ImageCache } from '#vm/image-store/cache/image-cache';
import type { CachedImage } from '#vm/image-store/cache/image-record';
import { pruneImages } from '#vm/image-store/cache/prune-images';
import { formatProgress, type PullProgress } from '#vm/image-store/image-request';
import { imagesDirectory, MIN_UNUSED_MS, openImageStore } from './open-image-store.ts';

const MIB = 2 ** 20;

/** Lists the images in a data directory. */
export async function listImages({ dataDir = defaultDataDir('up'), output }: ImageListSettings, io: Io): Promise<void> {
  const root = imagesDirectory(dataDir);
  const images = existsSync(root) ? await new ImageCache(root).list() : [];
  const sorted = images.toSorted((a, b) => a.record.source.localeCompare(b.record.source));
  if (output === 'json') return io.out(`${JSON.stringify(sorted.map(jsonOf), null, 2)}\n`);
  if (sorted.length === 0) return io.out(`No images in ${root}\n`);
  io.out(formatTable(['IMAGE', 'DIGEST', 'FORMAT', 'SIZE', 'DISK', 'USED BY'], sorted.map(rowOf)));
}

const mib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;

function rowOf({ record, storedBytes, links }: CachedImage): string[] {
  const { source, digest, sourceFormat, virtualBytes } = record;
  return [source, digest.slice(0, 12), sourceFormat, mib(storedBytes), mib(virtualBytes), `${links - 1}`];
}

function jsonOf({ record, storedBytes, links, usedAt }: CachedImage): object {
  return { ...record, storedBytes, usedBy: links - 1, usedAt };
}

/** Pulls an image into a data directory, also while `vimana up` uses it, and prints the progress. */
export async function pullImageCommand(settings: ImagePullSettings, io: Io, signal: AbortSignal): Promise<void> {
  const { dataDir = defaultDataDir('up'), image, checksum, path, dockerConfig } = settings;
  const { store } = openImageStore(dataDir, settings, { clock: realClock, log: noopLogger });
  const onProgress = progressPrinter(io);
  const request = {
    image,
    namespace: '',
    ...(checksum === undefined ? {} : { checksum }),
    ...(path === undefined ? {} : { path }),
  };
  const { record } = await store.pull(request, { onProgress, signal }, credentialsIn(dockerConfig));
  io.out(`Pulled ${record.source} (sha256:${record.digest}, ${mib(record.bytes)})\n`);
}

/** Returns a function that prints progress: all of it in one line of a terminal, otherwise each phase. */
function progressPrinter({ rewrite, err }: Io): (progress: PullProgress) => void {
  let printed = '';
  return (progress) => {
    const text = rewrite === undefined ? progress.phase : formatProgress(progress);
    if (text !== printed) (rewrite ?? err)(`${text}${rewrite === undefined ? '\n' : ''}`);
    printed = text;
  };
}

function credentialsIn(file: string | undefined): { readonly dockerConfig?: string } {
  if (file === undefined) return {};
  try {
    return { dockerConfig: readFileSync(file, 'utf8') };
  } catch (error) {
    throw new ConfigError(`--docker-config: cannot read ${file}`, { cause: error });
  }
}

/** Deletes the images that no machine uses. */
export async function pruneImagesCommand(
  { dataDir = defaultDataDir('up') }: ImagePruneSettings,
  io: Io,
): Promise<void> {
  const root = imagesDirectory(dataDir);
  const request = { now: realClock.now(), targetBytes: 0, minAgeMs: MIN_UNUSED_MS };
  const deleted = existsSync(root) ? await pruneImages(new ImageCache(root), request) : [];
  const bytes = deleted.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  for (const { record } of deleted) io.out(`Deleted ${record.source} (sha256:${record.digest})\n`);
  io.out(`Deleted ${deleted.length} images, ${mib(bytes)}\n`);
}
