import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { type QueuedJob, type TenantLimits, TenantQueue } from '#platform/base/tenant-queue';
import { shownAddress } from '#platform/base/web-address';
import type { Problem } from '#vm/engine/dialect';
import type { ImageVerification } from '#vm/engine/vm-dependencies';
import { algorithmOf, type CheckedImage, faultOf, keyOfImage, retryMs } from './digest.ts';
import { type DownloadLimits, download } from './download.ts';
import type { Web } from './web.ts';

export interface VerifierDeps {
  readonly web: Web;
  readonly clock: Clock;
  readonly log: Logger;
  /** Limits that override the defaults. */
  readonly limits?: Partial<DownloadLimits>;
}

/** VM that an image is verified for. */
export interface ImageUser {
  readonly namespace: string;
  /** Namespace and name. */
  readonly key: string;
}

/** Known state of an image. */
interface Known {
  /** Result of the last attempt. Undefined before the first one is finished. */
  result?: 'verified' | Problem;
  /** Download in progress, if any. */
  job?: Job;
  /** Number of failed attempts in a row. */
  failures: number;
  /** Time before which it is not fetched again. */
  retryAt: number;
}

/** Download that runs or is queued. */
interface Job {
  readonly image: string;
  readonly users: Map<string, ImageUser>;
  readonly abandoned: AbortController;
  place?: QueuedJob;
}

const DEFAULT_LIMITS: DownloadLimits = { bytes: 64 * 2 ** 30, idleMs: 30_000, allMs: 2 * 60 * 60_000 };
/** Limits concurrent downloads, so that no namespace delays the others. */
const AT_ONCE: TenantLimits = { total: 16, perTenant: 2 };
/** Maximum number of images that are remembered. */
const MAX_KNOWN = 1000;

/** Fetches images to verify their digests. Each is fetched once at a time, and never again once it is verified. */
export class ImageVerifier {
  readonly #parts: VerifierDeps;
  readonly #limits: DownloadLimits;
  readonly #known = new Map<string, Known>();
  readonly #listeners = new Set<(image: string) => void>();
  readonly #queue = new TenantQueue(AT_ONCE);
  /** Downloads by the key of the VM that they are for. */
  readonly #jobs = new Map<string, Job>();

  constructor(parts: VerifierDeps) {
    this.#parts = parts;
    this.#limits = { ...DEFAULT_LIMITS, ...parts.limits };
  }

  /** Calls the listener with the key of every image that has a new result. */
  onAnswer(listener: (image: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the known state of an image, and fetches it if needed, until the signal is aborted or no VM needs it. */
  verification(image: CheckedImage, user: ImageUser, signal: AbortSignal): ImageVerification {
    const key = keyOfImage(image);
    if (this.#jobs.get(user.key)?.image !== key) this.release(user.key);
    const known = this.#known.get(key) ?? this.#remember(key);
    if (known.result === 'verified') return VERIFIED;
    const isDue = known.retryAt <= this.#parts.clock.now();
    if (known.job !== undefined) this.#join(known.job, user);
    else if (isDue && !signal.aborted) this.#begin(image, user, known, signal);
    // The last problem is reported until there is a new result, so that the status does not flap.
    if (known.result === undefined) return { state: 'waits', blocker: verifyingProblem(image) };
    const { job, retryAt } = known;
    return { state: 'waits', blocker: { ...known.result, ...(job === undefined ? { until: retryAt } : {}) } };
  }

  /** Releases the image of a VM that is deleted or uses another image. A download that no other VM needs is aborted. */
  release(userKey: string): void {
    const job = this.#jobs.get(userKey);
    const user = job?.users.get(userKey);
    if (job === undefined || user === undefined) return;
    this.#jobs.delete(userKey);
    job.users.delete(userKey);
    const isLastThere = ![...job.users.values()].some(({ namespace }) => namespace === user.namespace);
    if (isLastThere) job.place?.leave(user.namespace);
    if (job.users.size === 0) this.#abandon(job);
  }

  #abandon(job: Job): void {
    const known = this.#known.get(job.image);
    if (known?.job !== job) return;
    delete known.job;
    if (known.result === undefined) this.#known.delete(job.image);
    job.abandoned.abort(new Error('the image is no longer needed'));
  }

  #remember(key: string): Known {
    const known: Known = { failures: 0, retryAt: Number.NEGATIVE_INFINITY };
    this.#known.set(key, known);
    if (this.#known.size > MAX_KNOWN) {
      const [oldest] = [...this.#known].find(([, { job }]) => job === undefined) ?? [];
      if (oldest !== undefined && oldest !== key) this.#known.delete(oldest);
    }
    return known;
  }

  #join(job: Job, user: ImageUser): void {
    if (job.users.has(user.key)) return;
    job.users.set(user.key, user);
    this.#jobs.set(user.key, job);
    job.place?.join(user.namespace);
  }

  #begin(image: CheckedImage, user: ImageUser, known: Known, signal: AbortSignal): void {
    const job: Job = { image: keyOfImage(image), users: new Map(), abandoned: new AbortController() };
    known.job = job;
    this.#join(job, user);
    const either = AbortSignal.any([signal, job.abandoned.signal]);
    job.place = this.#queue.add(() => this.#verify(image, job, known, either), user.namespace);
  }

  async #verify(image: CheckedImage, job: Job, known: Known, signal: AbortSignal): Promise<void> {
    const { web, clock } = this.#parts;
    const fetched = signal.aborted ? undefined : await download(image, { web, clock, limits: this.#limits }, signal);
    if (known.job !== job) return;
    delete known.job;
    for (const user of job.users.keys()) this.#jobs.delete(user);
    if (fetched !== undefined) this.#settle(image, known, faultOf(image, fetched));
    // Listeners are also notified without a result, so that the next request starts a new download.
    for (const listener of this.#listeners) listener(job.image);
  }

  #settle(image: CheckedImage, known: Known, fault: Problem | undefined): void {
    const { clock, log } = this.#parts;
    known.result = fault ?? 'verified';
    if (fault === undefined) return log.info({ image: shownAddress(image.source) }, 'image verified');
    known.failures += 1;
    known.retryAt = clock.now() + retryMs(fault.reason, known.failures);
    log.warn({ reason: fault.reason }, fault.message);
  }
}

const VERIFIED: ImageVerification = { state: 'verified' };

function verifyingProblem(image: CheckedImage): Problem {
  const message = `the image at ${shownAddress(image.source)} is being downloaded to verify its ${algorithmOf(image)}`;
  return { reason: 'VerifyingImage', message, asked: true };
}
