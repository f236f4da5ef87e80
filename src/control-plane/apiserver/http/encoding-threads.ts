import { extname } from 'node:path';
import type { Clock } from '#platform/base/clock';
import type { Encoder, EncodingJob } from '../long-work.ts';
import type { TypeMeta } from '../protobuf/protobuf.ts';
import type { DecodingJob, EncodingResult } from './encoding-job.ts';
import { bytesOfResult, jsonOfResult } from './local-encoder.ts';
import { WorkerThread } from './worker-thread.ts';

/** Size of a piece that takes less than a tenth of a second. */
const SHORT = 160 * 1024;
/** A response in progress waits for each of its pieces, so that flow control has limited their number before. */
const LIMITS = { maxWaiting: 1_000, maxWaitMs: 60_000 };

type EncodingThread = WorkerThread<EncodingJob | DecodingJob, EncodingResult>;

/** Encodes and decodes on two threads, so that small pieces do not wait for objects that take most of a second. */
export class EncodingThreads implements Encoder {
  readonly #short: EncodingThread;
  readonly #long: EncodingThread;

  constructor(clock: Pick<Clock, 'timer'>) {
    const file = new URL(`./encoding-worker${extname(import.meta.filename)}`, import.meta.url);
    this.#short = new WorkerThread(file, LIMITS, clock);
    this.#long = new WorkerThread(file, LIMITS, clock);
  }

  async encode(job: EncodingJob, flow?: string): Promise<Uint8Array | undefined> {
    return bytesOfResult(await this.#threadFor(sizeOf(job)).run(job, flow));
  }

  async decode(body: Uint8Array, expected: TypeMeta, flow?: string): Promise<string> {
    // The body may be a part of a buffer that others use, which must not be moved.
    const own = new Uint8Array(body);
    return jsonOfResult(
      await this.#threadFor(own.length).run({ task: 'body', body: own, expected }, flow, [own.buffer]),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long.close()]);
  }

  #threadFor(size: number): EncodingThread {
    return size <= SHORT ? this.#short : this.#long;
  }
}

function sizeOf(job: EncodingJob): number {
  return job.task === 'items' ? job.texts.reduce((size, { length }) => size + length, 0) : job.text.length;
}
