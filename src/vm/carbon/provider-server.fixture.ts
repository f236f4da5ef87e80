import type { IncomingHttpHeaders } from 'node:http';
import { loopbackServer } from '#testing/loopback-server';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface PlannedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of the response. An object is sent as JSON, text as it is. */
  readonly body: unknown;
}

/** Starts a local server that responds as the test defines. */
export async function providerServer(answer: (requested: ReceivedRequest) => PlannedResponse) {
  const requested: ReceivedRequest[] = [];
  const server = await loopbackServer((request, response) => {
    const question = { path: request.url ?? '', headers: request.headers };
    requested.push(question);
    const { status = 200, headers = {}, body } = answer(question);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { ...server, asked: requested };
}
