import type { ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse } from 'node:http2';
import type { Clock } from '#platform/base/clock';
import { type AnnounceWork, WORK } from '../flow-control/work.ts';
import { gzip, measurePieces, WORTH_COMPRESSING } from './compression.ts';
import type { HttpResponse, UpgradedResponse } from './response.ts';

export type Response = ServerResponse | Http2ServerResponse;

export interface Sending {
  readonly response: Response;
  /** Returns a signal that aborts when the client disconnects or the server stops. */
  readonly end: () => AbortSignal;
  /** Maximum time that a client may stall while reading. */
  readonly slowMs: number;
  readonly clock: Pick<Clock, 'timer' | 'turn'>;
  /** Identifies this request, in the audit log too. */
  readonly auditId: string;
  /** Set if the client accepts a large response compressed. */
  readonly gzip: boolean;
  /** Announces the cost of sending, so that a client with much to receive delays nobody else. */
  readonly work: AnnounceWork;
}

/** Size of the pieces of a large response. */
const PIECE = 64 * 1024;
/** Size of output after which others run. */
const YIELD_EVERY_BYTES = 256 * 1024;

/**
 * Sends a response no faster than the client reads it: unread data is held back at its source, and a client that stalls
 * for too long is disconnected. Never rejects.
 */
export async function send(sending: Sending, given: HttpResponse): Promise<void> {
  if ('upgraded' in given) return;
  const { answer, large } = sending.gzip && given.status === 200 ? weighResponse(given) : { answer: given };
  // The two response types are used alike; only their overloads do not unify.
  const response = sending.response as ServerResponse;
  const common = {
    'audit-id': sending.auditId,
    'content-type': answer.type,
    'cache-control': 'no-cache, private',
  };
  try {
    if (large !== undefined) {
      const vary = [answer.headers?.['vary'] ?? [], 'Accept-Encoding'].flat().join(', ');
      response.writeHead(answer.status, { ...common, ...answer.headers, vary, 'content-encoding': 'gzip' });
      for await (const piece of gzip(large)) await write(sending, [piece]);
      response.end();
    } else if ('pieces' in answer || 'parts' in answer || 'encoded' in answer) {
      response.writeHead(answer.status, { ...common, ...answer.headers });
      if ('pieces' in answer) await follow(sending, answer.pieces);
      else await write(sending, 'parts' in answer ? answer.parts : answer.encoded);
      response.end();
    } else {
      const content = 'bytes' in answer ? answer.bytes : answer.body;
      const short = content.length <= PIECE && typeof content === 'string' ? Buffer.from(content) : content;
      const length = typeof short === 'string' ? Buffer.byteLength(short) : short.length;
      // A client that caches the response applies these headers to its cached body, which is not empty.
      const reported = answer.status === 304 ? {} : { 'content-length': length };
      response.writeHead(answer.status, { ...common, ...reported, ...answer.headers });
      if (content.length <= PIECE) {
        response.end(short);
        return;
      }
      await write(sending, typeof content === 'string' ? [content] : bytePieces(content));
      response.end();
    }
    await read(sending, 'finish');
  } catch {
    // The client or its connection is gone, so there is nobody to report to.
    abandon(response);
  }
}

type Sendable = Exclude<HttpResponse, UpgradedResponse>;
type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Determines whether a response is large. The length of one in parts is known only once they are produced. */
function weighResponse(response: Sendable): {
  readonly answer: Sendable;
  readonly large?: Pieces;
} {
  if ('pieces' in response) return { answer: response };
  if ('encoded' in response) return { answer: response, large: response.encoded };
  if ('parts' in response) {
    const { pieces, large } = measurePieces(response.parts);
    return large ? { answer: response, large: pieces } : { answer: { ...response, parts: pieces } };
  }
  const content = 'bytes' in response ? response.bytes : response.body;
  if (content.length <= WORTH_COMPRESSING) return { answer: response };
  return { answer: response, large: typeof content === 'string' ? textPieces(content) : bytePieces(content) };
}

/** Reports whether the client of a response is gone. */
export function isGone(response: Response): boolean {
  return 'stream' in response ? response.stream.destroyed : response.destroyed || response.req.socket.destroyed;
}

/** Aborts a response so that the client does not take what it has received for the whole. */
function abandon(response: Response): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}

/** Writes pieces as they arrive. */
async function follow(sending: Sending, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  (sending.response as ServerResponse).flushHeaders();
  const signal = sending.end();
  for await (const piece of pieces) {
    if (signal.aborted) break;
    await write(sending, [piece]);
  }
}

async function write(sending: Sending, pieces: Pieces): Promise<void> {
  const response = sending.response as ServerResponse;
  let written = 0;
  for await (const long of pieces) {
    for (const piece of split(long)) {
      await sending.work(WORK.piece + piece.length * WORK.sentByte);
      if (isGone(response)) throw new Error('the client disconnected');
      if (!response.write(piece)) await read(sending, 'drain');
    }
    written += long.length;
    if (written < YIELD_EVERY_BYTES) continue;
    // Other clients must run even if this one reads at once, because pieces are produced as they are consumed.
    written = 0;
    await sending.clock.turn?.();
  }
}

/** Waits until the client has read, up to the timeout. */
async function read({ response, slowMs, clock }: Sending, event: 'drain' | 'finish'): Promise<void> {
  if (event === 'finish' && response.writableFinished) return;
  if (isGone(response)) throw new Error('the client disconnected');
  await new Promise<void>((resolve, reject) => {
    const timeoutMs = clock.timer(slowMs, () => abandon(response));
    const settle = (outcome: () => void) => () => {
      response.removeListener(event, done);
      response.removeListener('close', gone);
      timeoutMs.cancel();
      outcome();
    };
    const done = settle(resolve);
    const gone = settle(() => reject(new Error('the client disconnected')));
    response.on(event, done);
    response.on('close', gone);
  });
}

function split(long: string | Uint8Array): Iterable<string | Uint8Array> {
  if (long.length <= PIECE) return [long];
  return typeof long === 'string' ? textPieces(long) : bytePieces(long);
}

function* bytePieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Splits text into pieces, never between the two halves of a character. */
function* textPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + PIECE - 1);
    const end = at + PIECE + (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}
