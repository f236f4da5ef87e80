import type { Clock } from '#platform/base/clock';
import type { Web } from '#vm/images/web';
import type { ImageCache } from '../cache/image-cache.ts';
import type { FileDownloadDeps } from '../download/download-file.ts';
import { assertRoom, DOWNLOAD_TIMEOUTS } from '../image-limits.ts';
import type { PullProgress } from '../image-request.ts';
import type { ImageLimits } from '../inspect/image-info.ts';
import type { Catalog } from '../marketplace/catalog.ts';
import type { ImageMirror } from '../source/image-mirrors.ts';

/** Dependencies of every fetch. */
export interface PullDeps {
  readonly web: Web;
  readonly clock: Clock;
  readonly cache: ImageCache;
  readonly limits: ImageLimits;
  readonly mirrors: readonly ImageMirror[];
  readonly catalog: Catalog;
  /** Returns the bytes that can be written to the disk of the cache. */
  readonly availableBytes: () => Promise<number>;
}

/** One fetch. */
export interface PullContext extends PullDeps {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PullProgress) => void;
}

export function downloadDeps({ web, clock, limits, availableBytes, onProgress }: PullContext): FileDownloadDeps {
  return {
    web,
    clock,
    timeouts: DOWNLOAD_TIMEOUTS,
    maxBytes: limits.fileBytes,
    assertRoom: async (bytes) => assertRoom(await availableBytes(), bytes),
    onProgress: (bytes, totalBytes) =>
      onProgress({ phase: 'Downloading', bytes, ...(totalBytes === undefined ? {} : { totalBytes }) }),
  };
}
