import { realClock } from '#platform/base/clock';
import { type ClientCredentials, Http1Connection, type RawAnswer, wireOf } from '../http1-connection.ts';
import { Http2Connection } from '../http2-connection.ts';
import type { FuzzRequest } from './fuzz-request.ts';

/** Connections of one user, over both protocols. */
export class UserConnections {
  readonly #port: number;
  readonly #credentials: ClientCredentials;
  readonly #token: string | undefined;
  #http1: Http1Connection | undefined;
  #http2: Http2Connection | undefined;

  constructor(port: number, credentials: ClientCredentials | { readonly token: string }) {
    this.#port = port;
    this.#token = 'token' in credentials ? credentials.token : undefined;
    this.#credentials = 'token' in credentials ? {} : credentials;
  }

  /** Returns the response, or undefined if the server closed the connection. Waits if the server requests it. */
  async send(request: FuzzRequest): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = await this.#sendOnce(request);
      if (answer?.status !== 429) return answer;
      await realClock.sleep(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  }

  async #sendOnce(request: FuzzRequest): Promise<RawAnswer | undefined> {
    const token = this.#token === undefined ? [] : [['authorization', `Bearer ${this.#token}`] as const];
    const sent = { ...request, headers: [...token, ...request.headers] };
    if (request.protocol === 'HTTP/2') {
      if (this.#http2 === undefined || this.#http2.closed)
        this.#http2 = new Http2Connection(this.#port, this.#credentials);
      return await this.#http2.ask(sent, request.readUntil);
    }
    for (const isLast of [false, true]) {
      if (this.#http1 === undefined || this.#http1.closed || isLast) {
        this.#http1?.close();
        this.#http1 = await Http1Connection.open(this.#port, this.#credentials);
      }
      this.#http1.write(wireOf(sent));
      const answer = await this.#http1.answer(request.method);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  close(): void {
    this.#http1?.close();
    this.#http2?.close();
  }
}
