import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '../../base/clock.ts';
import { FakeClock } from '../../base/fake-clock.ts';
import { type Plane, startPlane } from '../custom/plane.fixture.ts';
import { json } from './answer.ts';
import { readBody } from './request-body.ts';
import { type ApiHttpServer, startServer } from './server.ts';

let plane: Plane;
let server: ApiHttpServer;
const refused: string[] = [];

beforeAll(async () => {
  plane = await startPlane();
  const { pki } = plane.plane;
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    tls: { ...pki.server, caPem: pki.caPem },
    authenticate: async () => ({ name: 'somebody', groups: [] }),
    handle: async (request) => {
      const bytes = await request.body().catch((error: Error) => {
        refused.push(error.message);
        throw error;
      });
      return json(200, String(bytes.length));
    },
    clock: realClock,
    uuid: () => 'id',
    handshakeMs: 200,
    idleBodyMs: 200,
  });
});
afterAll(async () => {
  await server.close();
  await plane.plane.stop();
});

const secure = () =>
  connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });

/** However it ends. */
const closed = (socket: Socket) => new Promise((resolve) => socket.on('close', resolve));

test('a connection that never comes to encrypt is closed', async () => {
  const socket = connectTcp(server.port, '127.0.0.1');
  socket.on('error', () => {});
  await closed(socket);
});

test('a body that stops in the middle ends its connection', async () => {
  const socket = secure();
  socket.on('error', () => {});
  socket.resume();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nsome');
  await closed(socket);
});

test('over HTTP/2 it ends its stream alone', async () => {
  const session = connectHttp2(server.url, { rejectUnauthorized: false });
  const stream = session.request({ ':path': '/', ':method': 'POST' });
  stream.on('error', () => {});
  stream.write('some');
  await once(stream, 'close');
  const other = session.request({ ':path': '/', ':method': 'POST' });
  other.end('whole');
  const [piece] = (await once(other, 'data')) as [Buffer];
  expect(piece.toString()).toBe('5');
  session.close();
});

test('a body of unknown length beyond the limit is refused for that', async () => {
  const socket = secure();
  socket.on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (let sent = 0; sent < 64; sent++) socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
  expect(refused.at(-1)).toBe('Request entity too large: limit is 3145728');
  socket.destroy();
});

describe('a body that comes in pieces', () => {
  const IDLE = 1000;

  function slowRequest() {
    const clock = new FakeClock();
    const request = Object.assign(new PassThrough(), { headers: {}, complete: false });
    const body = readBody(request as unknown as IncomingMessage, IDLE, clock);
    return { clock, request, body };
  }

  test('is waited for as long as something comes', async () => {
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

  test('is given up once nothing comes', async () => {
    const { clock, request, body } = slowRequest();
    const given = expect(body).rejects.toThrow('the body of the request broke off');
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
