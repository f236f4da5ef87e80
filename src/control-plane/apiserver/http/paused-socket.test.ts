import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock } from '#platform/base/clock';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane({ insecure: false });
  await plane.client.create(
    { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', namespace: 'default' } },
  );
});
afterAll(async () => {
  await plane.plane.stop();
});

const body = (turn: number) => JSON.stringify({ data: { a: `${turn}${'x'.repeat(500_000)}` } });

test('a client that pipelines many requests and reads late gets every response', async () => {
  const { port, adminToken } = plane.plane;
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  const head = (length: number) =>
    `PATCH ${PATH}/large HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n` +
    `Content-Type: application/merge-patch+json\r\nContent-Length: ${length}\r\n\r\n`;
  let [answers, tail, failed] = [0, '', ''];
  socket.on('error', ({ message }) => (failed = message));
  socket.on('close', () => (failed ||= 'closed'));
  for (let turn = 0; turn < 20; turn++) {
    const text = body(turn);
    socket.write(head(text.length) + text);
  }
  await realClock.sleep(200);
  socket.on('data', (piece: Buffer) => {
    const text = tail + piece.toString('latin1');
    answers += text.split('HTTP/1.1 200 OK').length - 1;
    tail = text.slice(-14);
  });
  await plane.until(() => answers === 20 || failed !== '');
  expect([answers, failed]).toEqual([20, '']);
  socket.destroy();
});
