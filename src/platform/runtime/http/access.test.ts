import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { createMemoryLogger } from '#platform/base/logger';
import type { AccessToken } from '#platform/kube/access-token';
import type { Client } from '#platform/kube/client';
import { type AccessOptions, createAuthorizer } from './access.ts';
import { readBody } from './body.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import type { Route } from './route.ts';
import { tokenReview } from './token-review.ts';

const log = createMemoryLogger(realClock);
let server: HttpServer;
let reached: string[] = [];
afterEach(async () => {
  reached = [];
  await server.close();
});

const ROUTES: readonly Route[] = [
  { path: '/read', handle: (_request, response) => void response.end('read') },
  {
    path: '/change',
    methods: ['POST'],
    maxBodyBytes: 1024,
    async handle(incoming, response) {
      reached.push((await readBody(incoming, 1024)).toString());
      response.end('changed');
    },
  },
  { path: '/private', access: 'authorized', handle: (_request, response) => void response.end('private') },
  { path: '/hook', methods: ['POST'], access: 'open', handle: (_request, response) => void response.end('hook') },
  {
    path: '/socket',
    handle: (_request, response) => void response.writeHead(426).end(),
    upgrade: (_request, socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  },
];

async function start(options: AccessOptions & { readonly requestMs?: number } = {}) {
  server = await startHttpServer({ port: 0, routes: ROUTES, clock: realClock, log, ...options });
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Sends a request over its own connection, with just these headers. */
function send(method: string, path: string, headers: NodeJS.Dict<string | string[]> = {}, body?: string) {
  return new Promise<Answer>((resolve, reject) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const sent = request(`${server.url}${path}`, { method, headers: given, agent: false }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => (text += bytes.toString()));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
const statusOf = async (...args: Parameters<typeof send>) => (await send(...args)).status;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const token: AccessToken = { file: '/token', matches: (given) => given === 'right', remove: () => {} };

describe('a server', () => {
  it('responds to its own host names only', async () => {
    await start({ allowedHosts: ['exporter.ops.svc'] });
    for (const host of ['127.0.0.1', 'localhost:1', 'exporter.ops.svc:8000', undefined])
      expect(await statusOf('GET', '/read', { host }), host ?? 'as it is').toBe(200);
    for (const host of ['rebound.example.com', 'exporter.ops'])
      expect(await statusOf('GET', '/read', { host }), host).toBe(403);
    const { status, text } = await send('GET', '/read', { host: 'rebound.example.com' });
    expect([status, text]).toEqual([
      403,
      'the Host rebound.example.com is not a name of this server; add names with --allowed-hosts\n',
    ]);
    expect(await statusOf('GET', '/nothing', { host: 'rebound.example.com' })).toBe(403);
  });

  it('rejects pages of other origins, for every request', async () => {
    await start({ authorize: async () => undefined });
    const origin = 'https://evil.example';
    expect(await statusOf('GET', '/read', { origin })).toBe(403);
    expect(await statusOf('POST', '/change', { origin, 'content-type': 'text/plain' }, 'x')).toBe(403);
    expect(await statusOf('POST', '/change', { origin, ...bearer('right') }, 'x')).toBe(403);
    expect(await statusOf('POST', '/hook', { origin }, 'x')).toBe(403);
    expect(await statusOf('OPTIONS', '/change', { origin })).toBe(403);
    expect(await statusOf('GET', '/read', { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(reached).toEqual([]);
    const { headers } = await send('GET', '/read');
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('upgrades no connection of a page of another origin', async () => {
    await start();
    const requested = (more: string) =>
      `GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n${more}\r\n`;
    const heard = async (text: string) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(text);
      let all = '';
      socket.on('data', (bytes: Buffer) => (all += bytes.toString()));
      await once(socket, 'close');
      return all;
    };
    expect(await heard(requested(''))).toMatch(/^HTTP\/1\.1 101 /);
    expect(await heard(requested('origin: https://evil.example\r\n'))).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe.runIf(process.platform === 'linux')('a program of the same user on this machine', () => {
  it('may write without a token, but a page in its browser may not', async () => {
    await start();
    expect(await statusOf('POST', '/change', {}, 'x')).toBe(200);
    expect(await statusOf('GET', '/private')).toBe(200);
    const { status, headers } = await send('POST', '/change', { origin: server.url }, 'x');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(await statusOf('GET', '/private', { 'sec-fetch-mode': 'navigate' })).toBe(401);
    expect(reached).toEqual(['x']);
  });

  it('with a token is authenticated as the user of the token', async () => {
    await start({ authorize: createAuthorizer({ token: () => token }) });
    expect(await statusOf('POST', '/change', bearer('right'), 'x')).toBe(200);
    for (const wrong of ['Bearer wrong', 'Bearer', 'Bearer ', 'Basic cmlnaHQ6', 'right'])
      expect(await statusOf('POST', '/change', { authorization: wrong }, 'x'), wrong).toBe(401);
    expect(await statusOf('POST', '/change', { origin: server.url, ...bearer('right') }, 'x')).toBe(200);
  });
});

describe('a body', () => {
  it('that is not complete in time is not waited for', async () => {
    await start({ authorize: async () => undefined, requestMs: 50 });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /change HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nx');
    await once(socket, 'close');
    expect(reached).toEqual([]);
  });

  it('that is too large is not read', async () => {
    await start({ authorize: async () => undefined });
    expect(await statusOf('POST', '/change', {}, 'x'.repeat(2048))).toBe(413);
  });
});

/** API server with two tokens: one of ann, who has the permission, and one of bob, who does not. */
const asked: object[] = [];
const cluster = {
  async request({ path, body }: { readonly path: string; readonly body: { readonly spec: Record<string, unknown> } }) {
    asked.push(body);
    if (path.endsWith('/tokenreviews')) {
      const user = { 'of-ann': 'ann', 'of-bob': 'bob' }[String(body.spec['token'])];
      if (body.spec['token'] === 'of-trouble') throw new Error('away');
      return { body: { status: user === undefined ? {} : { authenticated: true, user: { username: user } } } };
    }
    return { body: { status: { allowed: body.spec['user'] === 'ann' } } };
  },
} as unknown as Client;

describe('a token of a cluster', () => {
  it('admits users that the cluster authenticates and authorizes, and reveals no token', async () => {
    await start({ authorize: createAuthorizer({ token: () => token, review: () => tokenReview(cluster, log) }) });
    expect(await statusOf('POST', '/change?name=x', bearer('of-ann'), 'x')).toBe(200);
    expect(asked.at(-1)).toMatchObject({
      spec: { user: 'ann', nonResourceAttributes: { path: '/change', verb: 'post' } },
    });
    expect(await send('POST', '/change', bearer('of-bob'), 'x')).toMatchObject({
      status: 403,
      text: 'User "bob" cannot post path "/change"\n',
    });
    expect(await statusOf('POST', '/change', bearer('of-nobody'), 'x')).toBe(401);
    expect(await statusOf('POST', '/change', bearer('of-trouble'), 'x')).toBe(403);
    expect(await statusOf('POST', '/change', bearer('right'), 'x')).toBe(200);
    const said = JSON.stringify(log.entries);
    for (const secret of ['of-trouble', 'of-ann', createHash('sha256').update('right').digest('hex')])
      expect(said).not.toContain(secret);
  });
});
