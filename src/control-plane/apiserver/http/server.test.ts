import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { WAIT, waitUntil } from '#testing/wait';
import { openPki, type Pki } from '../access/pki.ts';
import { FlowControl } from '../flow-control/flow-control.ts';
import { ThreadShare } from '../flow-control/thread-share.ts';
import type { ApiRequest } from './api-request.ts';
import { type HttpResponse, json } from './response.ts';
import { type ApiHttpServer, type ServerOptions, startServer } from './server.ts';

const PART = 'x'.repeat(64 * 1024);
const PARTS = 2_000;
/** Number of parts that exceeds all buffers on the way, and is less to transfer. */
const FEWER = 600;
/** Maximum time that clients may stall while reading, in tests of that. */
const SLOW = 300;

let directory: string;
let pki: Pki;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'vimana-server-'));
  pki = openPki({ directory, clock: realClock, serverNames: ['127.0.0.1'] });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Starts a server whose responses to /large are 128 MiB, produced part by part. */
async function started(options: Partial<ServerOptions> = {}) {
  const seen = { asked: [] as string[], parts: 0, events: 0, ended: 0 };
  function* parts(count: number): Generator<string> {
    try {
      for (let i = 0; i < count; i++) {
        seen.parts++;
        yield PART;
      }
    } finally {
      seen.ended++;
    }
  }
  async function* events(signal: AbortSignal): AsyncGenerator<string> {
    while (!signal.aborted) {
      seen.events++;
      yield PART;
    }
  }
  const handle = async ({ path, signal }: ApiRequest): Promise<HttpResponse> => {
    seen.asked.push(path);
    if (path === '/large') return { status: 200, type: 'text/plain', parts: parts(PARTS) };
    if (path === '/long') return { status: 200, type: 'text/plain', parts: parts(FEWER) };
    if (path === '/watch') return { status: 200, type: 'text/plain', pieces: events(signal) };
    if (path === '/text') return { status: 200, type: 'text/plain', body: `${'ä€😀'.repeat(200_000)}.` };
    return json(200, JSON.stringify(path));
  };
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, caPem: pki.caPem },
    authenticate: async () => ({ name: 'somebody', groups: [] }),
    handle,
    clock: realClock,
    flowControl: new FlowControl(realClock, new ThreadShare(realClock)),
    uuid: () => 'id',
    ...options,
  });
  closing.push(() => server.close());
  return { server, seen };
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

/** Opens an HTTP/1.1 connection that reads nothing unless told to. */
async function http1({ port, url }: ApiHttpServer): Promise<Socket> {
  const where = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const secure = url.startsWith('https');
  const socket = secure ? connectTls({ ...where, ALPNProtocols: ['http/1.1'] }) : connectTcp(where);
  socket.on('error', () => {});
  socket.pause();
  await once(socket, secure ? 'secureConnect' : 'connect');
  closing.push(() => socket.destroy());
  return socket;
}

async function http2({ url }: ApiHttpServer): Promise<ClientHttp2Session> {
  const session = connectHttp2(url, { rejectUnauthorized: false });
  session.on('error', () => {});
  closing.push(() => session.destroy());
  await once(session, 'connect');
  return session;
}

/** Requests a stream that nobody reads. */
function ask(session: ClientHttp2Session, path: string): ClientHttp2Stream {
  const stream = session.request({ ':path': path });
  stream.on('error', () => {});
  stream.pause();
  return stream;
}

/** Returns the whole response text, for responses that end with a closing quote. */
async function answerTo(socket: Socket, path: string): Promise<string> {
  socket.write(request(path));
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  socket.resume();
  await waitUntil(() => text.endsWith(`"${path}"`));
  return text;
}

/** Waits until a number no longer changes. It may still grow if the host stalls meanwhile. */
async function settled(read: () => number): Promise<number> {
  for (let before = -1; ; ) {
    const now = read();
    if (now === before) return now;
    before = now;
    await realClock.sleep(150);
  }
}

const SERVERS: readonly (readonly [string, Partial<ServerOptions>])[] = [
  ['TLS', {}],
  ['plain HTTP', { tls: undefined } as unknown as Partial<ServerOptions>],
];

describe.each(SERVERS)('over HTTP/1.1 and %s', (_name, options) => {
  test('a response is produced no faster than its client reads, and pipelined requests wait', async () => {
    const { server, seen } = await started(options);
    const socket = await http1(server);
    for (let i = 0; i < 50; i++) socket.write(request('/large'));
    await waitUntil(() => seen.parts > 0);
    expect(await settled(() => seen.parts)).toBeLessThan(PARTS / 4);
    expect(seen.asked).toEqual(['/large']);
    expect(await answerTo(await http1(server), '/other')).toContain('"/other"');
  });

  test('the address of the server before a path does not hide the path from the request log', async () => {
    const recorded: string[] = [];
    const { server, seen } = await started({ ...options, onRequest: ({ path }) => recorded.push(path) });
    (await http1(server)).write(request('https://x/api/v1/secrets?limit=1'));
    await waitUntil(() => recorded.length > 0);
    expect([...seen.asked, ...recorded]).toEqual(['/api/v1/secrets', '/api/v1/secrets?limit=1']);
  });

  test('pipelined requests all get a response, in order', async () => {
    const { server } = await started(options);
    const socket = await http1(server);
    const count = 900;
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    for (let i = 0; i < count; i++) socket.write(request(`/${i}`));
    socket.resume();
    await waitUntil(() => text.endsWith(`"/${count - 1}"`));
    expect([...text.matchAll(/"\/(\d+)"/g)].map(([, i]) => Number(i))).toEqual([...Array(count).keys()]);
  });

  test('a client that pipelines thousands of requests is disconnected', async () => {
    const { server, seen } = await started(options);
    const socket = await http1(server);
    socket.write(request('/small').repeat(20_000));
    socket.resume();
    await waitUntil(() => socket.closed);
    expect(seen.asked.length).toBeLessThan(20_000);
    expect(await answerTo(await http1(server), '/other')).toContain('"/other"');
  });

  test('events of a watch wait until the client reads', async () => {
    const { server, seen } = await started(options);
    (await http1(server)).write(request('/watch'));
    await waitUntil(() => seen.events > 0);
    expect(await settled(() => seen.events)).toBeLessThan(PARTS / 4);
  });

  test('a client that stops reading is disconnected', async () => {
    const clock = new FakeClock();
    const { server, seen } = await started({ ...options, clock, slowClientMs: SLOW });
    const socket = await http1(server);
    socket.write(request('/large') + request('/large'));
    await waitUntil(async () => {
      await clock.advance(SLOW);
      return seen.ended > 0;
    });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.resume();
    await waitUntil(() => socket.closed);
    expect(bytes).toBeLessThan((PART.length * PARTS) / 4);
    expect(seen.asked).toEqual(['/large']);
  });

  test('a client that reads slowly gets the whole response', async () => {
    const clock = new FakeClock();
    const { server, seen } = await started({ ...options, clock, slowClientMs: SLOW });
    const socket = await http1(server);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.write(request('/long'));
    for (let pauses = 0; pauses < 4; pauses++) {
      const before = seen.parts;
      socket.resume();
      await waitUntil(() => seen.parts > before + 1);
      socket.pause();
      await clock.advance(SLOW - 1);
    }
    socket.resume();
    await waitUntil(() => bytes > PART.length * FEWER);
    expect(seen.parts).toBe(FEWER);
  });
});

describe('over HTTP/2', () => {
  test('a response is produced no faster than its client reads, and further requests wait if many are unread', async () => {
    const { server, seen } = await started();
    const session = await http2(server);
    const streams = Array.from({ length: 300 }, () => ask(session, '/large'));
    await waitUntil(() => seen.asked.length === 100 && seen.parts > 0);
    expect(await settled(() => seen.parts)).toBeLessThan(PARTS);
    expect(seen.asked.length).toBe(100);
    for (const stream of streams.slice(0, 50)) stream.close();
    await waitUntil(() => seen.asked.length === 150);
    expect(await answerTo(await http1(server), '/other')).toContain('"/other"');
  });

  test('events of watches wait until the client reads, without delaying other requests', async () => {
    const { server, seen } = await started();
    const session = await http2(server);
    for (let i = 0; i < 200; i++) ask(session, '/watch');
    await waitUntil(() => seen.asked.length === 200);
    expect(await settled(() => seen.events)).toBeLessThan(PARTS);
    const stream = ask(session, '/other');
    await once(stream, 'response');
  });

  test('only a stream that is not read for too long is closed', async () => {
    const clock = new FakeClock();
    const { server } = await started({ clock, slowClientMs: SLOW });
    const session = await http2(server);
    const unread = ask(session, '/watch');
    const quiet = ask(session, '/other');
    await once(quiet, 'response');
    await waitUntil(async () => {
      await clock.advance(SLOW);
      return unread.closed;
    });
    expect(unread.rstCode).toBe(constants.NGHTTP2_CANCEL);
    const [headers] = (await once(ask(session, '/other'), 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
  });

  test('a long text arrives completely, whatever its characters', async () => {
    const { server } = await started();
    const stream = (await http2(server)).request({ ':path': '/text' });
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString('utf8')).toBe(`${'ä€😀'.repeat(200_000)}.`);
  });
});

describe('closing the server', () => {
  test('does not wait for idle connections', async () => {
    const { server } = await started({ graceMs: 2 * WAIT.timeout });
    await http1(server);
    await http2(server);
    const began = realClock.monotonic();
    await server.close();
    expect(realClock.monotonic() - began).toBeLessThan(WAIT.timeout);
    closing.splice(0, 1);
  });

  test.each(SERVERS)(
    'waits a limited time for clients that do not read or do not send, over %s',
    async (_name, options) => {
      const { server, seen } = await started({ ...options, graceMs: 100 });
      (await http1(server)).write(request('/large'));
      (await http1(server)).write('GET / HTTP/1.1\r\nhost');
      const silent = connectTcp(server.port, '127.0.0.1');
      silent.on('error', () => {});
      closing.push(() => silent.destroy());
      if (options.tls !== undefined || !('tls' in options)) ask(await http2(server), '/large');
      await waitUntil(() => seen.parts > 0);
      await server.close();
      closing.splice(0, 1);
    },
  );

  test('ends watches cleanly', async () => {
    const { server } = await started();
    const stream = (await http2(server)).request({ ':path': '/watch' });
    stream.resume();
    await once(stream, 'response');
    await Promise.all([once(stream, 'end'), server.close()]);
    closing.splice(0, 1);
  });
});

test('the certificate of an HTTP/2 connection is parsed once for all its requests', async () => {
  const seen: unknown[] = [];
  const { server } = await started({
    authenticate: async ({ certificate }) => {
      seen.push(certificate?.value);
      return { name: 'somebody', groups: [] };
    },
  });
  const { certPem: cert, keyPem: key } = pki.admin;
  const session = connectHttp2(server.url, { rejectUnauthorized: false, cert, key });
  closing.push(() => session.destroy());
  for (let i = 0; i < 3; i++) await once(ask(session, '/').resume(), 'close');
  expect(seen).toHaveLength(3);
  expect(seen[0]).toBeDefined();
  expect(new Set(seen).size).toBe(1);
});

test('many connections opened at the same time are all served', async () => {
  const { server } = await started();
  const sessions = await Promise.all(Array.from({ length: 60 }, () => http2(server)));
  await Promise.all(sessions.map((session) => once(ask(session, '/').resume(), 'close')));
});

test('a client certificate is ignored for a cross-site request', async () => {
  const seen: boolean[] = [];
  const { server } = await started({
    authenticate: async ({ certificate }) => {
      seen.push(certificate !== undefined);
      return { name: 'somebody', groups: [] };
    },
  });
  const { certPem: cert, keyPem: key } = pki.clientCertificate({ user: 'admin', groups: [] });
  const session = connectHttp2(server.url, { rejectUnauthorized: false, cert, key });
  closing.push(() => session.destroy());
  for (const site of ['none', 'same-origin', 'same-site', 'cross-site']) {
    const stream = session.request({ ':path': '/', 'sec-fetch-site': site });
    stream.resume();
    await once(stream, 'end');
  }
  expect(seen).toEqual([true, true, false, false]);
});
