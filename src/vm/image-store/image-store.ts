import { join } from 'node:path';
import type { Timer } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import { redactText } from '#platform/base/redact';
import { TenantQueue } from '#platform/base/tenant-queue';
import { shownAddress } from '#platform/base/web-address';
import type { CachedImage } from './cache/image-record.ts';
import { parseChecksum } from './download/content-hash.ts';
import { imageCredentials } from './image-credentials.ts';
import { ImageError } from './image-error.ts';
import { formatProgress, type ImageCredentials, type ImageRequest, type PullProgress } from './image-request.ts';
import { type ImageTarget, imageTarget } from './pull/image-target.ts';
import type { PullContext, PullDeps } from './pull/pull-context.ts';
import { pullImage } from './pull/pull-image.ts';

/** Reads the data of a Secret. Undefined if there is none. */
export interface ImageSecrets {
  read(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
}

export interface ImageStoreDeps extends PullDeps {
  readonly log: Logger;
  /** Makes room after an image was pulled. */
  readonly sweep?: () => Promise<void>;
  /** Directory of the images that are built on this host. */
  readonly localImages: string;
}

/** Disk image that Vimana has written, which new disks are based on. */
export interface BaseImage {
  readonly path: string;
  readonly format: 'qcow2' | 'raw';
  /** Names the image in a directory of disks. */
  readonly id: string;
  /** Unset for images of this host, which are not in the cache. */
  readonly cached?: CachedImage;
}

/** Reports that an image is being fetched. */
export class ImagePullingError extends TemporaryError {
  /** Name of the image, as in "image NAME". */
  readonly image: string;
  readonly progress: PullProgress;

  constructor(image: string, progress: PullProgress) {
    super(`pulling image ${image}: ${formatProgress(progress)}`, { code: 'IMAGE_PULLING', retryAfterMs: 1_000 });
    this.image = `image ${image}`;
    this.progress = progress;
  }
}

/** Fetch that runs or has failed. */
interface Job {
  progress: PullProgress;
  /** Time when a VM last needed it. */
  neededAt: number;
  failure?: { readonly error: Error; readonly retryAt: number };
  failures: number;
  readonly stop: AbortController;
  /** Checks whether it is still needed. */
  check?: Timer;
}

/** Limits concurrent fetches, so that no namespace delays the others. */
const AT_ONCE = { total: 4, perTenant: 2 };
/** A fetch that no VM has needed for so long is aborted. What was received stays for later. */
const ABANDONED_MS = 60_000;
const BACK_OFF = { firstMs: 10_000, maxMs: 5 * 60_000 };

/** Provides disk images by name: fetches each once, however many VMs need it, and verifies and converts it. */
export class ImageStore {
  readonly #deps: ImageStoreDeps;
  readonly #jobs = new Map<string, Job>();
  readonly #queue = new TenantQueue(AT_ONCE);

  constructor(deps: ImageStoreDeps) {
    this.#deps = deps;
  }

  /**
   * Returns an image that is there. Otherwise it begins to fetch it and throws an ImagePullingError, or an ImageError
   * if that has failed.
   */
  async require(request: ImageRequest, secrets: ImageSecrets): Promise<BaseImage> {
    const target = this.#target(request, await credentialsOf(request, secrets));
    const local = this.#local(target);
    if (local !== undefined) return local;
    const present = await this.#present(target);
    if (present !== undefined) return present;
    throw this.#pulling(target, request);
  }

  /** Fetches an image, and waits for it. */
  async pull(
    request: ImageRequest,
    { onProgress, signal }: Pick<PullContext, 'onProgress' | 'signal'>,
    credentials: ImageCredentials = {},
  ): Promise<CachedImage> {
    const target = this.#target(request, credentials);
    return await pullImage(target, { ...this.#deps, onProgress, signal });
  }

  /** Aborts all fetches. They continue when the images are needed again. */
  close(): void {
    for (const { stop, check } of this.#jobs.values()) {
      stop.abort(new Error('the process ends'));
      check?.cancel();
    }
    this.#jobs.clear();
  }

  #target(request: ImageRequest, credentials: ImageCredentials): ImageTarget {
    const checksum = request.checksum === undefined ? undefined : parseChecksum(request.checksum);
    if (request.checksum !== undefined && checksum === undefined) {
      const message = `checksum ${request.checksum} is not md5, sha256 or sha512 in hexadecimal`;
      throw new ImageError('InvalidImageName', message);
    }
    return imageTarget(request, this.#deps.mirrors, { checksum, credentials });
  }

  #local({ source }: ImageTarget): BaseImage | undefined {
    if (source.kind !== 'local') return undefined;
    const { name } = source;
    return { path: join(this.#deps.localImages, `${name}.raw`), format: 'raw', id: name };
  }

  async #present(target: ImageTarget): Promise<BaseImage | undefined> {
    const { cache, clock } = this.#deps;
    const reference = await cache.reference(target.key);
    const image = reference === undefined ? undefined : await cache.find(reference.digest);
    if (image === undefined || reference === undefined) return undefined;
    // A name that was resolved for this start is not resolved again.
    const isFresh = clock.now() - reference.resolvedAt < ABANDONED_MS;
    if (target.policy === 'Always' && !isFresh) return undefined;
    const { digest, format } = image.record;
    await cache.touch(digest, clock.now());
    return { path: image.path, format, id: `sha256-${digest}`, cached: image };
  }

  #pulling(target: ImageTarget, { namespace }: ImageRequest): Error {
    const now = this.#deps.clock.now();
    const job = this.#jobs.get(target.key);
    if (target.policy === 'Never') {
      return new ImageError(
        'ErrImageNeverPull',
        `image ${target.shown} is not on this host, and its pull policy is Never`,
      );
    }
    if (job !== undefined) job.neededAt = now;
    if (job?.failure !== undefined && now < job.failure.retryAt) return job.failure.error;
    if (job !== undefined && job.failure === undefined) return new ImagePullingError(target.shown, job.progress);
    const next = this.#begin(target, namespace, job?.failures ?? 0);
    return new ImagePullingError(target.shown, next.progress);
  }

  #begin(target: ImageTarget, namespace: string, failures: number): Job {
    const { clock } = this.#deps;
    const stop = new AbortController();
    const job: Job = { progress: { phase: 'Waiting' }, neededAt: clock.now(), failures, stop };
    this.#jobs.set(target.key, job);
    this.#abandonLater(target.key, job);
    this.#queue.add(() => this.#run(target, job), namespace);
    return job;
  }

  async #run(target: ImageTarget, job: Job): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = job.stop;
    const onProgress = (progress: PullProgress) => {
      job.progress = progress;
    };
    try {
      if (signal.aborted) return;
      const { record } = await pullImage(target, { ...this.#deps, onProgress, signal });
      log.info({ image: target.shown, digest: record.digest, bytes: record.bytes }, 'image pulled');
      job.check?.cancel();
      this.#jobs.delete(target.key);
      await this.#deps.sweep?.();
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof ImageError ? error : unexpectedError(target, error);
      if (known !== error) log.warn({ image: target.shown, err: error }, 'failed to pull an image');
      job.failures += 1;
      job.failure = { error: known, retryAt: clock.now() + backOffMs(job.failures) };
      log.warn({ image: target.shown, reason: known.reason }, known.message);
    }
  }

  #abandonLater(key: string, job: Job): void {
    const { clock } = this.#deps;
    job.check = clock.timer(ABANDONED_MS, () => {
      if (this.#jobs.get(key) !== job) return;
      const isNeeded =
        clock.now() - job.neededAt < Math.max(ABANDONED_MS, job.failure === undefined ? 0 : BACK_OFF.maxMs);
      if (isNeeded) return this.#abandonLater(key, job);
      job.stop.abort(new Error('the image is no longer needed'));
      this.#jobs.delete(key);
    });
  }
}

async function credentialsOf(
  { namespace, secret, image }: ImageRequest,
  secrets: ImageSecrets,
): Promise<ImageCredentials> {
  if (secret === undefined) return {};
  const data = await secrets.read(namespace, secret);
  if (data !== undefined) return imageCredentials(data);
  throw new ImageError('ErrImagePull', `Secret "${namespace}/${secret}" of image ${shownAddress(image)} not found`);
}

function backOffMs(failures: number): number {
  return Math.min(BACK_OFF.firstMs * 2 ** (failures - 1), BACK_OFF.maxMs);
}

/** Returns what to report about an unexpected failure. The author of a VM does not need to know paths of the host. */
function unexpectedError({ shown }: ImageTarget, error: unknown): ImageError {
  const { message, code, path } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  if (code === 'ENOSPC')
    return new ImageError('InsufficientDiskSpace', `the disk of the host is full: ${shown} was not pulled`);
  const why = path === undefined ? redactText(message || code || 'unknown error') : code;
  return new ImageError('ErrImagePull', `cannot pull image ${shown}: ${why}`);
}
