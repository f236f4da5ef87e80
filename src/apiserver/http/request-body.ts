import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import type { Clock, Timer } from '../../base/clock.ts';
import { ApiError, badRequest, tooLarge } from '../api-error.ts';

type Request = IncomingMessage | Http2ServerRequest;

const LARGEST_BODY = 3 * 1024 * 1024;

/** The whole body; refused where it is too large, or where nothing more of it comes for so long. */
export async function readBody(
  request: Request,
  idleMs: number,
  clock: Pick<Clock, 'monotonic' | 'timer'>,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
  // Most bodies have arrived with their head.
  const patience = request.complete ? undefined : new Patience(request, idleMs, clock);
  try {
    return await collected(request, patience);
  } catch (error) {
    // A client that goes away in the middle is no fault of ours.
    throw error instanceof ApiError ? error : badRequest('the body of the request broke off');
  } finally {
    patience?.end();
  }
}

/** Gives a request up once nothing has come of it for so long. */
class Patience {
  readonly #idleMs: number;
  readonly #clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly #giveUp: () => void;
  #timer: Timer;
  #last: number;

  constructor(request: Request, idleMs: number, clock: Pick<Clock, 'monotonic' | 'timer'>) {
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#giveUp = () => {
      if ('stream' in request) request.stream.close(constants.NGHTTP2_CANCEL);
      else request.destroy();
    };
    this.#last = clock.monotonic();
    this.#timer = clock.timer(idleMs, () => this.#look());
  }

  renew(): void {
    this.#last = this.#clock.monotonic();
  }

  end(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const left = this.#last + this.#idleMs - this.#clock.monotonic();
    if (left > 0) this.#timer = this.#clock.timer(left, () => this.#look());
    else this.#giveUp();
  }
}

async function collected(request: Request, patience: Patience | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    patience?.renew();
    size += chunk.length;
    if (size > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
