import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import type { Clock, Timer } from '../../base/clock.ts';
import { ApiError, badRequest, tooLarge } from '../api-error.ts';

type Request = IncomingMessage | Http2ServerRequest;

const LARGEST_BODY = 3 * 1024 * 1024;

/** How long a body may take. */
export interface BodyDeadlines {
  /** Without any of it arriving. */
  readonly idleMs: number;
  /** In all, however steadily it trickles in. */
  readonly totalMs: number;
}

/** Returns the whole body. Rejects one that is too large or takes too long. */
export async function readBody(
  request: Request,
  deadlines: BodyDeadlines,
  clock: Pick<Clock, 'monotonic' | 'timer'>,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
  // Most bodies have arrived with their head.
  const patience = request.complete ? undefined : new Patience(request, deadlines, clock);
  try {
    return await collected(request, patience);
  } catch (error) {
    // A client that goes away in the middle is no fault of ours.
    throw error instanceof ApiError ? error : badRequest('the body of the request broke off');
  } finally {
    patience?.end();
  }
}

/** Gives a request up once nothing has come of it for so long, or it has taken too long in all. */
class Patience {
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

/** Most bodies are one chunk. Others are put together as they arrive: many large ones may be complete at once. */
async function collected(request: Request, patience: Patience | undefined): Promise<Buffer> {
  let body: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    patience?.renew();
    const before = size;
    size += chunk.length;
    if (size > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
    if (before === 0) body = chunk;
    else {
      if (size > body.length) body = withRoom(body.subarray(0, before), roomFor(request, size));
      chunk.copy(body, before);
    }
  }
  return body.subarray(0, size);
}

/** All that was announced, or twice as much as there is. */
function roomFor(request: Request, size: number): number {
  const announced = Number(request.headers['content-length'] ?? 0);
  return announced >= size ? announced : Math.min(2 * size, LARGEST_BODY);
}

function withRoom(body: Buffer, room: number): Buffer {
  const larger = Buffer.allocUnsafe(room);
  body.copy(larger);
  return larger;
}
