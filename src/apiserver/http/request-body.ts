import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import { ApiError, badRequest, tooLarge } from '../api-error.ts';

type Request = IncomingMessage | Http2ServerRequest;

const LARGEST_BODY = 3 * 1024 * 1024;

/** The whole body; refused where it is too large, or where nothing more of it comes for so long. */
export async function readBody(request: Request, idleMs: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
  // Most bodies have arrived with their head.
  const waits = !request.complete && isConnected(request);
  const giveUp = (): void => {
    if ('stream' in request) request.stream.close(constants.NGHTTP2_CANCEL);
    else request.destroy();
  };
  if (waits) request.setTimeout(idleMs, giveUp);
  try {
    return await collected(request);
  } catch (error) {
    // A client that goes away in the middle is no fault of ours.
    throw error instanceof ApiError ? error : badRequest('the body of the request broke off');
  } finally {
    request.removeListener('timeout', giveUp);
    if (waits && isConnected(request)) request.setTimeout(0);
  }
}

/** What was given up, by either side, has no connection left: Node has taken it away then, though its types do not say so. */
function isConnected(request: Request): boolean {
  return !request.destroyed && (request.socket as unknown) !== null;
}

async function collected(request: Request): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
