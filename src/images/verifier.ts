import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { shownAddress } from '../base/web-address.ts';
import type { Problem } from '../machine/dialect.ts';
import type { ImageVerdict } from '../machine/surroundings.ts';
import { algorithmOf, type CheckedImage, faultOf, retryMs } from './digest.ts';
import { type DownloadLimits, download } from './download.ts';
import type { Web } from './web.ts';

export interface VerifierParts {
  readonly web: Web;
  readonly clock: Clock;
  readonly log: Logger;
  /** As is usual where absent. */
  readonly limits?: Partial<DownloadLimits>;
}

/** What is known of an image. */
interface Known {
  /** What came of the last attempt; undefined before the end of the first. */
  result?: 'verified' | Problem;
  isUnderWay: boolean;
  /** Attempts in a row that were in vain. */
  failures: number;
  /** No sooner is it fetched once more. */
  retryAt: number;
}

const USUAL: DownloadLimits = { bytes: 64 * 2 ** 30, idleMs: 30_000, allMs: 2 * 60 * 60_000 };
/** How many are fetched at once. */
const AT_ONCE = 4;
/** How many are remembered. */
const MOST_KNOWN = 1000;

export const keyOfImage = ({ source, checksum }: CheckedImage) => `${checksum} ${source}`;

/** Fetches images to compare their digests: each once at a time, and what was found right never again. */
export class ImageVerifier {
  readonly #parts: VerifierParts;
  readonly #limits: DownloadLimits;
  readonly #known = new Map<string, Known>();
  readonly #listeners = new Set<(image: string) => void>();
  readonly #queue: (() => Promise<void>)[] = [];
  #running = 0;

  constructor(parts: VerifierParts) {
    this.#parts = parts;
    this.#limits = { ...USUAL, ...parts.limits };
  }

  /** Calls back with the key of every image of which something new is known. */
  onAnswer(listener: (image: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is known of an image; it is fetched where it has to be, until the signal is aborted. */
  look(image: CheckedImage, signal: AbortSignal): ImageVerdict {
    const key = keyOfImage(image);
    const known = this.#known.get(key) ?? this.#remember(key);
    if (known.result === 'verified') return VERIFIED;
    const isDue = known.retryAt <= this.#parts.clock.now();
    if (isDue && !known.isUnderWay && !signal.aborted) this.#begin(image, known, signal);
    // What was wrong stands until something else is known, so that nothing goes to and fro.
    if (known.result === undefined) return { state: 'waits', obstacle: verifying(image) };
    return { state: 'waits', obstacle: { ...known.result, ...(known.isUnderWay ? {} : { until: known.retryAt }) } };
  }

  #remember(key: string): Known {
    const known: Known = { isUnderWay: false, failures: 0, retryAt: Number.NEGATIVE_INFINITY };
    this.#known.set(key, known);
    if (this.#known.size > MOST_KNOWN) {
      const [oldest] = [...this.#known].find(([, { isUnderWay }]) => !isUnderWay) ?? [];
      if (oldest !== undefined && oldest !== key) this.#known.delete(oldest);
    }
    return known;
  }

  #begin(image: CheckedImage, known: Known, signal: AbortSignal): void {
    known.isUnderWay = true;
    this.#queue.push(() => this.#verify(image, known, signal));
    this.#next();
  }

  #next(): void {
    if (this.#running === AT_ONCE) return;
    const first = this.#queue.shift();
    if (first === undefined) return;
    this.#running += 1;
    void first().finally(() => {
      this.#running -= 1;
      this.#next();
    });
  }

  async #verify(image: CheckedImage, known: Known, signal: AbortSignal): Promise<void> {
    const { web, clock } = this.#parts;
    const fetched = signal.aborted ? undefined : await download(image, { web, clock, limits: this.#limits }, signal);
    known.isUnderWay = false;
    if (fetched !== undefined) this.#settle(image, known, faultOf(image, fetched));
    // Also where nothing came of it: whoever asks next has it begun anew.
    for (const listener of this.#listeners) listener(keyOfImage(image));
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

const VERIFIED: ImageVerdict = { state: 'verified' };

function verifying(image: CheckedImage): Problem {
  const message = `the image at ${shownAddress(image.source)} is being fetched, to compare its ${algorithmOf(image)}`;
  return { reason: 'VerifyingImage', message, asked: true };
}
