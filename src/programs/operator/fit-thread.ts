import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '#platform/base/clock';
import { BudgetedFits, type FitRequest } from '#vm/forecast/budgeted-fits';

/** A fit, and the number by which its result is found. */
export interface FitOrder {
  readonly id: number;
  readonly request: FitRequest;
}

export interface FitAnswer {
  readonly id: number;
  readonly fitted?: unknown;
  readonly problem?: string;
}

/** Computes fits on a thread of its own, because they take seconds. The thread starts with the first. */
class FitThread {
  #worker: Worker | undefined;
  #last = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();

  compute(request: FitRequest): Promise<unknown> {
    const id = ++this.#last;
    const result = Promise.withResolvers<unknown>();
    this.#waiting.set(id, result);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id, request } satisfies FitOrder, []);
    return result.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./fit-worker${extname(import.meta.filename)}`, import.meta.url));
    // A fit in progress does not keep the process alive.
    worker.unref();
    worker.on('message', ({ id, fitted, problem }: FitAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (problem === undefined) waiting?.resolve(fitted);
      else waiting?.reject(new Error(problem));
    });
    worker.on('error', (error: unknown) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread of forecasts has terminated')));
    return worker;
  }

  /** The next fit starts another thread. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of lost) waiting.reject(error);
  }
}

/** Creates the fits of a process: one thread, within a budget of CPU time. */
export function threadedFits(clock: Clock): BudgetedFits {
  const thread = new FitThread();
  return new BudgetedFits((request) => thread.compute(request), clock);
}
