import type { Clock, Timer } from '#platform/base/clock';
import { TemporaryError, TerminalError } from '#platform/base/errors';
import type { Random } from '#platform/base/random';
import { KubeError } from '#platform/kube/kube-error';
import { type BackOff, backOffDelay } from './back-off.ts';
import { DelayedKeys } from './delayed-keys.ts';
import type { QueueMetrics, RunResult } from './queue-metrics.ts';
import type { Runnable } from './runnable.ts';

/** Requests another run after a while, even without a new event. */
export interface ReconcileResult {
  readonly requeueAfterMs: number;
}

/** Result of a run that cancels the requeue that earlier ones requested. */
export const CANCEL_REQUEUE: ReconcileResult = { requeueAfterMs: Number.POSITIVE_INFINITY };

export interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Number of keys that are processed at once. Defaults to 1. */
  readonly concurrency?: number;
  readonly backOff?: BackOff;
  /**
   * Processes a key. A TemporaryError, or a rejection that names a time, is retried after that time; a TerminalError
   * not until the key is added again; any other error after a back-off.
   */
  readonly work: (key: string, signal: AbortSignal) => Promise<ReconcileResult | undefined>;
  /** Called on every failure, with the time until the retry. */
  readonly onFailure?: (key: string, error: unknown, retryInMs: number | undefined) => void;
  readonly metrics?: QueueMetrics;
}

/**
 * Number of keys processed in a row before other work of the process may run. With a client in the same process nothing
 * else would yield.
 */
const BURST = 64;
const BACK_OFF: BackOff = { first: 20, max: 5 * 60_000 };

/**
 * FIFO queue of keys. A key is queued once, no matter how often it is added, and is never processed twice at the same
 * time: if it is added meanwhile, it is queued again behind all others.
 */
export class WorkQueue implements Runnable {
  readonly name: string;
  readonly #options: WorkQueueOptions;
  /** Queued keys with the time they were added. */
  readonly #waiting = new Map<string, number>();
  /**
   * The same keys in order, starting at `#head`. A Map finds its first key ever more slowly as keys before it are
   * deleted.
   */
  #order: string[] = [];
  #head = 0;
  readonly #working = new Map<string, { again: boolean }>();
  readonly #delayed: DelayedKeys;
  readonly #failures = new Map<string, number>();
  #burst = 0;
  #pause: Timer | undefined;
  #signal: AbortSignal | undefined;
  #drained: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.name = options.name;
    this.#options = options;
    this.#delayed = new DelayedKeys(options.clock, (key) => this.add(key));
  }

  /** Number of queued keys, not counting delayed ones. */
  get size(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#signal?.aborted === true) return;
    this.#options.metrics?.added();
    const working = this.#working.get(key);
    if (working !== undefined) working.again = true;
    else this.#wait(key);
    this.#dispatch();
  }

  /** Adds the key after a delay. Of several times for one key the earliest counts. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else if (this.#signal?.aborted !== true) this.#delayed.add(key, ms);
  }

  /** Runs until the signal is aborted. Work in progress is then finished, and queued keys are not started. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    const stop = (): void => {
      this.#delayed.clear();
      this.#waiting.clear();
      this.#order = [];
      this.#head = 0;
      this.#pause?.cancel();
      this.#dispatch();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#dispatch();
    await drained;
  }

  #dispatch(): void {
    if (this.#signal === undefined) return;
    if (this.#signal.aborted) {
      if (this.#working.size === 0) this.#drained?.();
      return;
    }
    const { concurrency = 1 } = this.#options;
    while (this.#waiting.size > 0 && this.#working.size < concurrency && this.#pause === undefined) {
      if (++this.#burst % BURST === 0) this.#pause = this.#options.clock.timer(0, () => this.#resume());
      const key = this.#next();
      const since = this.#waiting.get(key) ?? 0;
      this.#waiting.delete(key);
      void this.#work(key, since, this.#signal);
    }
  }

  /** Removes and returns the key that has waited longest. */
  #next(): string {
    const key = this.#order[this.#head++] as string;
    if (this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    return key;
  }

  #resume(): void {
    this.#pause = undefined;
    this.#dispatch();
  }

  #wait(key: string): void {
    // The time is only needed if metrics are recorded.
    if (this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#options.metrics === undefined ? 0 : this.#now());
    this.#order.push(key);
  }

  async #work(key: string, since: number, signal: AbortSignal): Promise<void> {
    const { metrics } = this.#options;
    const state = { again: false };
    this.#working.set(key, state);
    const begun = metrics === undefined ? 0 : this.#now();
    metrics?.started((begun - since) / 1000);
    let result: RunResult = 'success';
    try {
      const again = await this.#options.work(key, signal);
      this.#failures.delete(key);
      if (again === CANCEL_REQUEUE) this.#delayed.remove(key);
      else if (again !== undefined) {
        result = 'requeue';
        this.addAfter(key, again.requeueAfterMs);
      }
    } catch (error) {
      result = 'error';
      this.#failed(key, error);
    }
    metrics?.finished(result, (this.#now() - begun) / 1000);
    this.#working.delete(key);
    if (state.again && !signal.aborted) this.#wait(key);
    this.#dispatch();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #failed(key: string, error: unknown): void {
    const { onFailure, random, backOff = BACK_OFF, metrics } = this.#options;
    if (error instanceof TerminalError) {
      this.#failures.delete(key);
      onFailure?.(key, error, undefined);
      return;
    }
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delay = namedDelay(error) ?? backOffDelay(backOff, failures, random);
    onFailure?.(key, error, delay);
    metrics?.retried();
    this.addAfter(key, delay);
  }
}

/** Returns the retry delay that the error itself names. */
function namedDelay(error: unknown): number | undefined {
  if (error instanceof TemporaryError) return error.retryAfterMs;
  const seconds = error instanceof KubeError ? error.details.retryAfterSeconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}
