import { type Transferable, Worker } from 'node:worker_threads';
import type { Clock } from '#platform/base/clock';
import { tooManyRequests } from '../api-error.ts';
import { FairLimiter, FlowLimitError } from '../flow-control/fair-limiter.ts';

/** Limits of the orders of one flow that wait for the thread. */
export interface WaitLimits {
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** A job that other threads may do, and the result of the order with the same number. */
type Numbered<T> = T & { readonly id: number };

/**
 * Does jobs on a separate thread, which starts with the first job. Jobs are done one by one, those of several flows in
 * turn, so that no flow waits for all jobs of another.
 */
export class WorkerThread<Job extends object, Result extends object> {
  readonly #file: URL;
  readonly #limiter: FairLimiter;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  #worker: Worker | undefined;
  #last = 0;

  constructor(file: URL, limits: WaitLimits, clock: Pick<Clock, 'timer'>) {
    this.#file = file;
    this.#limiter = new FairLimiter({ total: 1, perFlow: 1, ...limits }, clock);
  }

  /** Does a job for a flow. Rejects with 429 if the flow has too many waiting. */
  async run(job: Job, flow = '', moved: readonly Transferable[] = []): Promise<Result> {
    await this.#turn(flow);
    try {
      return await this.#order(job, moved);
    } finally {
      this.#limiter.release(flow);
    }
  }

  async #turn(flow: string): Promise<void> {
    try {
      await this.#limiter.acquire(flow);
    } catch (error) {
      throw error instanceof FlowLimitError ? tooManyRequests('Too many requests, please try again later.', 1) : error;
    }
  }

  #order(job: Job, moved: readonly Transferable[]): Promise<Result> {
    const id = ++this.#last;
    const result = Promise.withResolvers<Result>();
    this.#waiting.set(id, result);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ ...job, id } satisfies Numbered<Job>, moved);
    return result.promise;
  }

  /** Terminates the thread, and with it any job in progress. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#file);
    worker.on('message', (result: Numbered<Result>) => this.#settle(result));
    worker.on('error', (error: unknown) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread has terminated')));
    return worker;
  }

  #settle(result: Numbered<Result>): void {
    const waiting = this.#waiting.get(result.id);
    this.#waiting.delete(result.id);
    // An idle thread does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker?.unref();
    waiting?.resolve(result);
  }

  /** Handles the end of a thread, for example when a job exhausted its memory. The next job starts a new one. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of lost) waiting.reject(error);
  }
}
