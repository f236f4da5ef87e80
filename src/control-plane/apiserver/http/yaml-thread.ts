import { extname } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { ParseError } from '#platform/base/errors';
import type { YamlText } from '../long-work.ts';
import { WorkerThread } from './worker-thread.ts';
import type { YamlResult } from './yaml-result.ts';

interface YamlJob {
  readonly text: string;
}

export type YamlOrder = YamlJob & { readonly id: number };

const LIMITS = { maxWaiting: 100, maxWaitMs: 15_000 };

/**
 * Reads YAML on a separate thread, because that takes a second per megabyte. The result is JSON text, because objects
 * would be copied on this thread, which takes as long as parsing them.
 */
export class YamlThread {
  readonly #thread: WorkerThread<YamlJob, YamlResult>;

  constructor(clock: Pick<Clock, 'timer'>) {
    const file = new URL(`./yaml-worker${extname(import.meta.filename)}`, import.meta.url);
    this.#thread = new WorkerThread(file, LIMITS, clock);
  }

  /**
   * Reads the first document of a text. Rejects with a ParseError if it is invalid, and with 429 if the flow has too
   * many waiting.
   */
  async read(text: string, flow?: string): Promise<YamlText> {
    const { json, duplicates = [], problem = '', isOurs = false } = await this.#thread.run({ text }, flow);
    if (json !== undefined) return { json, duplicates };
    throw isOurs ? new Error(problem) : new ParseError(problem);
  }

  /** Terminates the thread, and with it any read in progress. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
