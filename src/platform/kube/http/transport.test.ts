import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import { type HttpClient, httpClient } from './http-client.ts';

let server: Server;
let client: HttpClient;
let requested = 0;
let answer: { status: number; body: string; headers?: Record<string, string> };

beforeEach(async () => {
  requested = 0;
  server = createServer((_request, response) => {
    requested++;
    response.writeHead(requested > 1 ? 200 : answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(requested > 1 ? '{"kind":"Status"}' : answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = httpClient({
    access: {
      server: `http://127.0.0.1:${port}`,
      insecure: false,
      namespace: 'default',
      headers: async () => ({}),
      certificate: async () => undefined,
      refused: () => false,
    },
    // Sleeps return at once.
    clock: { ...realClock, sleep: async () => {} },
    random: seededRandom('transport'),
    userAgent: 'test',
  });
});
afterEach(async () => {
  await client.close();
  server.close();
});

/** Counts the requests that reached a server that rejects the first one. */
async function attempts(method: 'GET' | 'PUT', first: typeof answer): Promise<number> {
  answer = first;
  await client.request({ method, path: '/x' }).catch(() => undefined);
  return requested;
}

const status = (fields: object) => JSON.stringify({ kind: 'Status', status: 'Failure', ...fields });

describe('a request that was rejected', () => {
  it.each<[string, 'GET' | 'PUT', typeof answer, number]>([
    ['because the server is busy, with a delay,', 'PUT', busy({ retryAfterSeconds: 1 }), 2],
    ['because the server is busy, without a delay,', 'PUT', { status: 429, body: 'Too many requests' }, 2],
    ['because of a disruption budget', 'PUT', busy({ causes: [{ reason: 'DisruptionBudget' }] }), 1],
    ['because a VM has to migrate first', 'PUT', busy(undefined), 1],
    ['by an internal error of a read', 'GET', { status: 500, body: status({ code: 500 }) }, 2],
    ['by an internal error of a write', 'PUT', { status: 500, body: status({ code: 500 }) }, 1],
    ['because it is not implemented', 'GET', { status: 501, body: status({ reason: 'NotImplemented' }) }, 1],
  ])('%s is retried or not', async (_why, method, first, count) => {
    expect(await attempts(method, first)).toBe(count);
  });
});

function busy(details: object | undefined): typeof answer {
  return { status: 429, body: status({ reason: 'TooManyRequests', message: 'later', details }) };
}
