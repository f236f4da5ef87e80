import type { IncomingMessage } from 'node:http';
import { VimanaError } from '#platform/base/errors';

export const MAX_BODY_BYTES = 1024 * 1024;

/** Reports that a request body is too large. */
export class TooLargeError extends VimanaError {
  constructor(limit: number) {
    super('BODY_TOO_LARGE', `the body is larger than ${limit} bytes`);
  }
}

/** Reads the body of a request, up to a limit. */
export async function readBody(request: IncomingMessage, limit: number = MAX_BODY_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLargeError(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
