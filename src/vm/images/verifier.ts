import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { type QueuedJob, type TenantLimits, TenantQueue } from '#platform/base/tenant-queue';
import { shownAddress } from '#platform/base/web-address';
import type { Problem } from '#vm/engine/dialect';
import type { ImageVerification } from '#vm/engine/vm-dependencies';
import { algorithmOf, type CheckedImage, faultOf, retryMs } from './digest.ts';
import { type DownloadLimits, download } from './download.ts';
import type { Web } from './web.ts';

export interface VerifierDeps {
  readonly web: Web;
  readonly clock: Clock;
  readonly log: Logger;
  /** As is usual where absent. */
  readonly limits?: Partial<DownloadLimits>;
}

/** The machine that an image is looked at for. */
export interface ImageUser {
  readonly namespace: string;
  /** Namespace and name. */
  readonly key: string;
}

/** What is known of an image. */
interface Known {
  /** What came of the last attempt; undefined before the end of the first. */
  result?: 'verified' | Problem;
  /** Who fetches it at present, if anybody. */
  job?: Job;
  /** Attempts in a row that were in vain. */
  failures: number;
  /** No sooner is it fetched once more. */
  retryAt: number;
}

/** An image that is fetched, or will be. */
interface Job {
  readonly image: string;
  readonly users: Map<string, ImageUser>;
  readonly abandoned: AbortController;
  place?: QueuedJob;
}

const DEFAULT_LIMITS: DownloadLimits = { bytes: 64 * 2 ** 30, idleMs: 30_000, allMs: 2 * 60 * 60_000 };
/** How many are fetched at once, so that no namespace makes the others wait for its own. */
const AT_ONCE: TenantLimits = { total: 16, perTenant: 2 };
/** How many are remembered. */
const MAX_KNOWN = 1000;

export const keyOfImage = ({ source, checksum }: CheckedImage) => `${checksum} ${source}`;

/** Fetches images to compare their digests: each once at a time, and what was found right never again. */
export class ImageVerifier {
  readonly #parts: VerifierDeps;
  readonly #limits: DownloadLimits;
  readonly #known = new Map<string, Known>();
  readonly #listeners = new Set<(image: string) => void>();
  readonly #queue = new TenantQueue(AT_ONCE);
  /** What is fetched for a machine, by its key. */
  readonly #jobs = new Map<string, Job>();

  constructor(parts: VerifierDeps) {
    this.#parts = parts;
    this.#limits = { ...DEFAULT_LIMITS, ...parts.limits };
  }

  /** Calls back with the key of every image of which something new is known. */
  onAnswer(listener: (image: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is known of an image; it is fetched where it has to be, until the signal is aborted or nobody wants it. */
  verification(image: CheckedImage, user: ImageUser, signal: AbortSignal): ImageVerification {
    const key = keyOfImage(image);
    if (this.#jobs.get(user.key)?.image !== key) this.release(user.key);
    const known = this.#known.get(key) ?? this.#remember(key);
    if (known.result === 'verified') return VERIFIED;
    const isDue = known.retryAt <= this.#parts.clock.now();
    if (known.job !== undefined) this.#join(known.job, user);
    else if (isDue && !signal.aborted) this.#begin(image, user, known, signal);
    // What was wrong stands until something else is known, so that nothing goes to and fro.
    if (known.result === undefined) return { state: 'waits', blocker: verifying(image) };
    const { job, retryAt } = known;
    return { state: 'waits', blocker: { ...known.result, ...(job === undefined ? { until: retryAt } : {}) } };
  }

  /** A machine is gone, or wants another image: what is fetched for nobody else is not fetched any more. */
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
    job.abandoned.abort(new Error('nobody wants the image any more'));
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
    // Also where nothing came of it: whoever asks next has it begun anew.
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

function verifying(image: CheckedImage): Problem {
  const message = `the image at ${shownAddress(image.source)} is being fetched, to compare its ${algorithmOf(image)}`;
  return { reason: 'VerifyingImage', message, asked: true };
}
