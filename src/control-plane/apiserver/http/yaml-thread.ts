import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '#platform/base/clock';
import { ParseError } from '#platform/base/errors';
import { tooManyRequests } from '../api-error.ts';
import { FairLimiter, FlowLimitError } from '../flow-control/fair-limiter.ts';
import type { YamlText } from '../long-work.ts';
import type { YamlResult } from './yaml-result.ts';

export interface YamlOrder {
  readonly id: number;
  readonly text: string;
}

/** Result of the order with the same number. */
type YamlAnswer = YamlResult & Pick<YamlOrder, 'id'>;

const ONE_AT_A_TIME = { total: 1, perFlow: 1, maxWaiting: 100, maxWaitMs: 15_000 };

/**
 * Reads YAML on a separate thread, because that takes a second per megabyte. The result is JSON text, because objects
 * would be copied on this thread, which takes as long as parsing them.
 */
export class YamlThread {
  #worker: Worker | undefined;
  #last = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<YamlText>>();
  readonly #limiter: FairLimiter;

  constructor(clock: Pick<Clock, 'timer'>) {
    this.#limiter = new FairLimiter(ONE_AT_A_TIME, clock);
  }

  /**
   * Reads the first document of a text. Texts are read one by one, those of several flows in turn, so that no flow
   * waits for all texts of another. Rejects with a ParseError if it is invalid, and with 429 if the flow has too many
   * waiting.
   */
  async read(text: string, flow = ''): Promise<YamlText> {
    await this.#turn(flow);
    try {
      return await this.#order(text);
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

  #order(text: string): Promise<YamlText> {
    const id = ++this.#last;
    const result = Promise.withResolvers<YamlText>();
    this.#waiting.set(id, result);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ id, text } satisfies YamlOrder, []);
    return result.promise;
  }

  /** Terminates the thread, and with it any read in progress. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./yaml-worker${extname(import.meta.filename)}`, import.meta.url));
    worker.on('message', (result: YamlAnswer) => this.#settle(result));
    worker.on('error', (error: unknown) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the YAML thread has terminated')));
    return worker;
  }

  #settle({ id, json, duplicates = [], problem = '', isOurs = false }: YamlAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // An idle thread does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (json !== undefined) waiting?.resolve({ json, duplicates });
    else waiting?.reject(isOurs ? new Error(problem) : new ParseError(problem));
  }

  /** Handles the end of a thread, for example when a text exhausted its memory. The next text starts a new one. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of lost) waiting.reject(error);
  }
}
