import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { ClientCredentials, RawAnswer, RawRequest } from './http1-connection.ts';

/** Headers that HTTP/2 does not allow. */
const FORBIDDEN = new Set(['upgrade', 'te', 'connection', 'expect', 'content-length']);

/** One HTTP/2 session. It sends whatever the protocol allows. */
export class Http2Connection {
  readonly #session: ClientHttp2Session;

  constructor(port: number, credentials: ClientCredentials = {}) {
    const options = { rejectUnauthorized: false, maxSessionMemory: 200, ...credentials };
    this.#session = connect(`https://127.0.0.1:${port}`, options);
    this.#session.on('error', () => {});
  }

  get closed(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /**
   * Returns the response, or undefined if the stream or the session was closed before it was complete. A stream is
   * canceled after the text `readUntil`.
   */
  async ask({ method, target, headers, body }: RawRequest, readUntil?: string): Promise<RawAnswer | undefined> {
    const sent: Record<string, string | string[]> = { ':method': method, ':path': target };
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      if (!FORBIDDEN.has(lower)) sent[lower] = latin1(value);
    }
    return await new Promise((resolve) => {
      try {
        const stream = this.#session.request(sent, { endStream: body.length === 0 });
        const chunks: Buffer[] = [];
        let status = 0;
        let received = new Map<string, string>();
        stream.on('response', (head) => {
          status = head[':status'] ?? 0;
          received = new Map(Object.entries(head).map(([name, value]) => [name, String(value)]));
        });
        const answer = () => ({ status, headers: received, body: Buffer.concat(chunks).toString('utf8') });
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (readUntil === undefined || !Buffer.concat(chunks.slice(-2)).includes(readUntil)) return;
          resolve(answer());
          stream.close(constants.NGHTTP2_CANCEL);
        });
        stream.on('end', () => resolve(answer()));
        stream.on('error', () => resolve(undefined));
        stream.on('close', () => resolve(undefined));
        if (body.length > 0) stream.end(body);
      } catch {
        // The client of Node.js refuses to send it.
        resolve(undefined);
      }
    });
  }

  close(): void {
    this.#session.destroy();
  }
}

function latin1(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}
