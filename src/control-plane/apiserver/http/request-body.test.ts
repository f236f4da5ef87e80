import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2, type Http2ServerRequest } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { waitUntil } from '#testing/wait';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';
import { FlowControl } from '../flow-control/flow-control.ts';
import { ThreadShare } from '../flow-control/thread-share.ts';
import type { AnnounceWork } from '../flow-control/work.ts';
import { readBody } from './request-body.ts';
import { json } from './response.ts';
import { type ApiHttpServer, type ServerOptions, startServer } from './server.ts';

const IDLE = 1000;
const TOTAL = 10 * IDLE;

let plane: Plane;
let server: ApiHttpServer;
const clock = new FakeClock();
const rejected: string[] = [];
/** Number of bodies that have been awaited. */
let awaited = 0;

const start = (more: Partial<ServerOptions> = {}) => {
  const { pki } = plane.plane;
  return startServer({
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, caPem: pki.caPem },
    authenticate: async () => ({ name: 'somebody', groups: [] }),
    handle: async (request) => {
      const body = request.body();
      awaited++;
      const bytes = await body.catch((error: Error) => {
        rejected.push(error.message);
        throw error;
      });
      return json(200, String(bytes.length));
    },
    clock,
    flowControl: new FlowControl(clock, new ThreadShare(clock)),
    uuid: () => 'id',
    idleBodyMs: IDLE,
    ...more,
  });
};

beforeAll(async () => {
  plane = await startPlane();
  server = await start();
});
afterAll(async () => {
  await server.close();
  await plane.plane.stop();
});

/** Runs a function that sends the beginning of a body, and lets the time pass in which more of it could arrive. */
async function breakOff(send: () => void): Promise<void> {
  const before = awaited;
  send();
  await waitUntil(() => awaited > before);
  await clock.advance(2 * IDLE);
}

const secure = () =>
  connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });

/** Resolves when the socket closes, in whatever way. */
const closed = (socket: Socket) => new Promise((resolve) => socket.on('close', resolve));

test('a connection that never completes the TLS handshake is closed', async () => {
  const hasty = await start({ handshakeMs: 50 });
  const socket = connectTcp(hasty.port, '127.0.0.1');
  socket.on('error', () => {});
  await closed(socket);
  await hasty.close();
});

test('a body that stops in the middle closes its connection', async () => {
  const socket = secure();
  socket.on('error', () => {});
  socket.resume();
  const ended = closed(socket);
  await breakOff(() => socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nsome'));
  await ended;
});

test('a body that stops in the middle resets only its HTTP/2 stream', async () => {
  const session = connectHttp2(server.url, { rejectUnauthorized: false });
  session.on('error', () => {});
  const stream = session.request({ ':path': '/', ':method': 'POST' });
  stream.on('error', () => {});
  const ended = once(stream, 'close');
  await breakOff(() => stream.write('some'));
  await ended;
  const other = session.request({ ':path': '/', ':method': 'POST' });
  other.end('whole');
  const [piece] = (await once(other, 'data')) as [Buffer];
  expect(piece.toString()).toBe('5');
  session.close();
});

test('a body that its HTTP/2 client aborted before it was read is not taken for an empty one', async () => {
  const stream = { aborted: true };
  const request = Object.assign(new PassThrough().end(), { headers: {}, complete: true, stream });
  const deadlines = { idleMs: IDLE, totalMs: TOTAL };
  const body = readBody(request as unknown as Http2ServerRequest, deadlines, new FakeClock(), () => undefined);
  await expect(body).rejects.toThrow('the request body was cut off');
});

test('a body of unknown length that exceeds the limit is rejected', async () => {
  const socket = secure();
  socket.on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (let sent = 0; sent < 64; sent++) socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
  // Pending writes may fail before the response is read.
  const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
  expect(rejected.at(-1)).toBe('Request entity too large: limit is 3145728');
  socket.destroy();
});

describe('a body that arrives in pieces', () => {
  function slowRequest(work: AnnounceWork = () => undefined) {
    const clock = new FakeClock();
    const request = Object.assign(new PassThrough(), { headers: {}, complete: false });
    const body = readBody(request as unknown as IncomingMessage, { idleMs: IDLE, totalMs: TOTAL }, clock, work);
    return { clock, request, body };
  }

  test('is received no faster than its sender may work, and waiting does not count as idle time', async () => {
    const announced: number[] = [];
    const turns: (() => void)[] = [];
    const { clock, request, body } = slowRequest((units) => {
      announced.push(units);
      return new Promise((resolve) => turns.push(resolve));
    });
    for (const piece of ['a', 'b', 'c']) request.write(piece.repeat(32));
    request.end();
    for (let taken = 1; taken <= 4; taken++) {
      await clock.advance(2 * IDLE);
      expect(announced).toHaveLength(taken);
      turns.shift()?.();
    }
    expect((await body).length).toBe(96);
    // These are three pieces, and the whole.
    expect(announced).toEqual([1, 1, 1, 3]);
    expect(clock.pending).toBe(0);
  });

  test('is accepted as long as pieces arrive', async () => {
    const { clock, request, body } = slowRequest();
    for (const piece of 'slowly') {
      await clock.advance(IDLE - 1);
      request.write(piece);
      await clock.advance(0);
    }
    request.end();
    expect((await body).toString()).toBe('slowly');
    expect(clock.pending).toBe(0);
  });

  test('is rejected if it takes too long in total', async () => {
    const { clock, request, body } = slowRequest();
    const given = expect(body).rejects.toThrow('the request body was cut off');
    for (let sent = 0; sent < TOTAL - IDLE / 2; sent += IDLE / 2) {
      request.write('x');
      await clock.advance(IDLE / 2);
    }
    expect(request.destroyed).toBe(false);
    request.write('x');
    await clock.advance(IDLE / 2);
    await given;
    expect(request.destroyed).toBe(true);
  });

  test('is rejected if no piece arrives for too long', async () => {
    const { clock, request, body } = slowRequest();
    const given = expect(body).rejects.toThrow('the request body was cut off');
    await clock.advance(IDLE - 1);
    request.write('some');
    await clock.advance(IDLE - 1);
    expect(request.destroyed).toBe(false);
    await clock.advance(1);
    expect(request.destroyed).toBe(true);
    await given;
    expect(clock.pending).toBe(0);
  });
});
