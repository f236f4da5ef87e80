import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '#platform/base/clock';
import { ParseError } from '#platform/base/errors';
import { tooManyRequests } from '../api-error.ts';
import { FairLimiter, FlowLimitError } from '../flow-control/fair-limiter.ts';

export interface YamlOrder {
  readonly id: number;
  readonly text: string;
}

export interface YamlResult {
  readonly id: number;
  readonly json?: string;
  readonly duplicates?: readonly string[];
  /** Why the text is no YAML. */
  readonly problem?: string;
  /** Whether the fault is not the text's. */
  readonly isOurs?: boolean;
}

export interface YamlText {
  readonly json: string;
  readonly duplicates: readonly string[];
}

const ONE_AT_A_TIME = { total: 1, perFlow: 1, maxWaiting: 100, maxWaitMs: 15_000 };

/**
 * Reads YAML on a thread of its own, since that takes a second for a megabyte. Its JSON comes back as text, because
 * objects would be copied on this thread, which takes as long as parsing them.
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
   * The first document of a text. Texts are read one by one, those of several flows in turn, so that nobody waits for
   * all that another has sent. Rejects with a ParseError where it is broken, and with 429 where the flow has too many
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

  /** Ends the thread, and with it whatever is being read. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./yaml-worker${extname(import.meta.filename)}`, import.meta.url));
    worker.on('message', (result: YamlResult) => this.#settle(result));
    worker.on('error', (error: unknown) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread that reads YAML has ended')));
    return worker;
  }

  #settle({ id, json, duplicates = [], problem = '', isOurs = false }: YamlResult): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // An idle thread keeps no process alive.
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (json !== undefined) waiting?.resolve({ json, duplicates });
    else waiting?.reject(isOurs ? new Error(problem) : new ParseError(problem));
  }

  /** A thread that ended, for example because a text took all its memory, is started again for the next text. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of lost) waiting.reject(error);
  }
}
