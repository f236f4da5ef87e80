import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { createMemoryLogger } from '#platform/base/logger';
import { WAIT } from '#testing/wait';
import { Metrics } from '../metrics.ts';
import { readBody } from './body.ts';
import { healthRoutes } from './health-routes.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { metricsRoute } from './metrics-route.ts';
import type { Route } from './route.ts';

const log = createMemoryLogger(realClock);
let server: HttpServer;
afterEach(() => server.close());

async function start(routes: readonly Route[], more: { answerMs?: number; graceMs?: number } = {}) {
  server = await startHttpServer({ port: 0, routes, clock: realClock, log, ...more });
}
const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${server.url}${path}`, { ...init, headers: { connection: 'close', ...init.headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

/** Sends bytes and returns everything received until the connection ends. */
async function converse(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  // Errors are ignored, because the server does not read what comes after its rejection.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(text);
  let heard = '';
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString()));
  await closed;
  return heard;
}

const hello: Route = { path: '/hello', handle: (_request, response) => void response.end('hello') };

describe('an HTTP server', () => {
  it('responds by its routes, and reports the methods of a path', async () => {
    await start([hello]);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask('/hello?x=1')).toMatchObject({ status: 200, text: 'hello' });
    expect(await ask('/hello', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await ask('/nothing')).toMatchObject({ status: 404 });
    const rejected = await ask('/hello', { method: 'POST', body: 'x' });
    expect([rejected.status, rejected.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('accepts routes while it runs', async () => {
    await start([]);
    const unmount = server.mount(hello);
    expect(await ask('/hello')).toMatchObject({ status: 200 });
    unmount();
    expect(await ask('/hello')).toMatchObject({ status: 404 });
  });

  it('reports an internal error without details, and logs them', async () => {
    await start([
      { path: '/bad', handle: async () => Promise.reject(new Error('the secret cause')) },
      {
        path: '/half',
        handle(_request, response) {
          response.write('half of');
          throw new Error('the rest is missing');
        },
      },
    ]);
    const answer = await ask('/bad');
    expect(answer).toMatchObject({ status: 500, text: 'internal error\n' });
    expect(log.entries.at(-1)?.fields).toMatchObject({ path: '/bad', err: { message: 'the secret cause' } });
    await expect(ask('/half')).rejects.toThrow();
  });

  it('limits the size of a request', async () => {
    await start([
      {
        path: '/echo',
        methods: ['POST'],
        handle: async (request, response) => void response.end(await readBody(request)),
      },
    ]);
    expect(await ask('/echo', { method: 'POST', body: 'abc' })).toMatchObject({ status: 200, text: 'abc' });
    const large = 'x'.repeat(1024 * 1024 + 1);
    const declared = `POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${large.length}\r\n\r\n`;
    expect(await converse(declared)).toMatch(/^HTTP\/1\.1 413 /);
    const size = large.length.toString(16);
    const chunked = `POST /echo HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n${large}\r\n0\r\n\r\n`;
    expect(await converse(chunked)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('limits the duration of a response', async () => {
    let reported: unknown;
    const slow: Route = {
      path: '/slow',
      async handle(_request, _response, signal) {
        await once(signal, 'abort');
        reported = signal.reason;
      },
    };
    await start([slow], { answerMs: 50 });
    expect(await ask('/slow')).toMatchObject({ status: 503 });
    expect(reported).toMatchObject({ message: 'the response timed out' });
  });

  it('notifies a handler that its client has disconnected', async () => {
    const gone = Promise.withResolvers<unknown>();
    await start([
      {
        path: '/stream',
        streams: true,
        async handle(_request, response, signal) {
          response.write('first');
          await once(signal, 'abort');
          gone.resolve(signal.reason);
        },
      },
    ]);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(await gone.promise).toMatchObject({ message: 'the client disconnected' });
  });

  it('upgrades a connection if its route accepts that, and responds normally otherwise', async () => {
    await start([
      hello,
      {
        path: '/socket',
        handle: (_request, response) => void response.writeHead(426).end(),
        upgrade(_request, socket) {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n');
          socket.on('data', (bytes: Buffer) => socket.end(`you said ${bytes.toString()}`));
        },
      },
    ]);
    const wish = (path: string) =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n`;
    const fallback = wish('/hello').replace('connection: upgrade', 'connection: upgrade, close');
    expect(await converse(fallback)).toMatch(/^HTTP\/1\.1 200 OK[^]*hello/);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(wish('/socket'));
    let heard = '';
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString();
      if (heard.endsWith('\r\n\r\n')) socket.write('hi');
    });
    await once(socket, 'close');
    expect(heard).toMatch(/^HTTP\/1\.1 101 [^]*you said hi$/);
  });

  it('stops by its signal: responses in progress finish, streams and upgraded connections end', async () => {
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stop = new AbortController();
    await start(
      [
        {
          path: '/work',
          async handle(_request, response) {
            begun[0]?.resolve();
            await once(stop.signal, 'abort');
            await realClock.sleep(100);
            response.end('done');
          },
        },
        {
          path: '/stream',
          streams: true,
          async handle(_request, response, signal) {
            response.write('x');
            begun[1]?.resolve();
            await once(signal, 'abort');
            response.end('bye');
          },
        },
        { path: '/socket', handle: () => {}, upgrade: () => begun[2]?.resolve() },
      ],
      { graceMs: 2 * WAIT.timeout },
    );
    const running = server.run(stop.signal);
    // Keep-alive connections must not delay the stop.
    const work = fetch(`${server.url}/work`);
    const stream = fetch(`${server.url}/stream`);
    const socket = converse('GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n');
    await Promise.all(begun.map(({ promise }) => promise));
    const from = realClock.monotonic();
    stop.abort();
    expect(await (await work).text()).toBe('done');
    expect(await (await stream).text()).toBe('xbye');
    expect(await socket).toBe('');
    await running;
    expect(realClock.monotonic() - from).toBeLessThan(WAIT.timeout);
    await expect(ask('/work')).rejects.toThrow();
  });

  it('stops in bounded time even if a response never ends', async () => {
    const begun = Promise.withResolvers<void>();
    const never: Route = {
      path: '/never',
      handle() {
        begun.resolve();
        return new Promise(() => {});
      },
    };
    await start([never], { graceMs: 50 });
    const requested = ask('/never');
    const rejected = expect(requested).rejects.toThrow();
    await begun.promise;
    await server.close();
    await rejected;
  });

  it('reports that its port is taken', async () => {
    await start([]);
    const second = startHttpServer({ port: server.port, clock: realClock, log });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the routes of health and metrics', () => {
  it('report ok, or which checks fail and why', async () => {
    let synced = false;
    await start(
      healthRoutes({
        ready: {
          caches: () => (synced ? undefined : 'not filled yet'),
          api: async () => {
            if (!synced) throw new Error('no answer');
            return undefined;
          },
        },
      }),
    );
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect(await ask('/readyz')).toMatchObject({
      status: 500,
      text: '[-]caches failed: not filled yet\n[-]api failed: no answer\nreadyz check failed\n',
    });
    synced = true;
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: 'ok' });
    expect(await ask('/readyz?verbose')).toMatchObject({
      status: 200,
      text: '[+]caches ok\n[+]api ok\nreadyz check passed\n',
    });
    expect(await ask('/readyz/caches')).toMatchObject({ status: 200, text: 'ok' });
    expect(await ask('/readyz/%')).toMatchObject({ status: 404 });
  });

  it('serve Prometheus', async () => {
    const metrics = new Metrics();
    metrics.eventDropped('queue_full');
    await start([metricsRoute(metrics)]);
    const { status, text, headers } = await ask('/metrics');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('vimana_events_dropped_total{reason="queue_full"} 1');
    const head = await ask('/metrics', { method: 'HEAD' });
    expect([head.text, Number(head.headers.get('content-length'))]).toEqual(['', Buffer.byteLength(text)]);
  });
});
