import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import type { Clock, Timer } from '#platform/base/clock';
import { ApiError, badRequest, tooLarge } from '../api-error.ts';
import { type AnnounceWork, WORK } from '../flow-control/work.ts';

type Request = IncomingMessage | Http2ServerRequest;

const BROKEN_OFF = 'the request body was cut off';
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Timeouts for receiving a body. */
export interface BodyDeadlines {
  /** Maximum time without receiving any data. */
  readonly idleMs: number;
  /** Maximum time for the whole body, however steadily it arrives. */
  readonly totalMs: number;
}

/**
 * Returns the whole body. Rejects one that is too large or takes too long. It is received no faster than the sender's
 * share of the thread allows, because many large bodies would otherwise be decrypted in one turn of the event loop.
 */
export async function readBody(
  request: Request,
  deadlines: BodyDeadlines,
  clock: Pick<Clock, 'monotonic' | 'timer'>,
  work: AnnounceWork,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  // Most bodies have arrived with their header.
  const timeoutMs = request.complete ? undefined : new BodyTimeout(request, deadlines, clock);
  try {
    return await collectBody(request, timeoutMs, work);
  } catch (error) {
    // A client that disconnects in the middle is not an internal error.
    throw error instanceof ApiError ? error : badRequest(BROKEN_OFF);
  } finally {
    timeoutMs?.end();
  }
}

/** Aborts a request once nothing has arrived for too long, or it has taken too long in total. */
class BodyTimeout {
  readonly #idleMs: number;
  readonly #end: number;
  readonly #clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly #giveUp: () => void;
  #timer: Timer;
  #last: number;

  constructor(request: Request, { idleMs, totalMs }: BodyDeadlines, clock: Pick<Clock, 'monotonic' | 'timer'>) {
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#giveUp = () => {
      if ('stream' in request) request.stream.close(constants.NGHTTP2_CANCEL);
      else request.destroy();
    };
    this.#last = clock.monotonic();
    this.#end = this.#last + totalMs;
    this.#timer = clock.timer(Math.min(idleMs, totalMs), () => this.#look());
  }

  /** Time during which the server makes a sender wait does not count. */
  suspend(): void {
    this.#last = Number.POSITIVE_INFINITY;
  }

  renew(): void {
    this.#last = this.#clock.monotonic();
  }

  end(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const left = Math.min(this.#last + this.#idleMs, this.#end) - this.#clock.monotonic();
    if (left > 0) this.#timer = this.#clock.timer(left, () => this.#look());
    else this.#giveUp();
  }
}

async function collectBody(request: Request, timeoutMs: BodyTimeout | undefined, work: AnnounceWork): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
    chunks.push(chunk);
    const turn = work(chunk.length * WORK.receivedByte);
    if (turn !== undefined) {
      timeoutMs?.suspend();
      await turn;
    }
    timeoutMs?.renew();
  }
  // The body of an aborted HTTP/2 stream ends like any other.
  if ('stream' in request && request.stream.aborted) throw badRequest(BROKEN_OFF);
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const turn = work(size * WORK.receivedByte);
  if (turn !== undefined) await turn;
  return Buffer.concat(chunks);
}
