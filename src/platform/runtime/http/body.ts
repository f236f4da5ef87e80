import type { IncomingMessage } from 'node:http';
import { VimanaError } from '#platform/base/errors';

export const LARGEST_BODY = 1024 * 1024;

/** A request has sent more than it may. */
export class TooLargeError extends VimanaError {
  constructor(limit: number) {
    super('BODY_TOO_LARGE', `the body is larger than ${limit} bytes`);
  }
}

/** The body of a request, up to a limit. */
export async function readBody(request: IncomingMessage, limit: number = LARGEST_BODY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLargeError(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
