import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';
import { acceptsGzip, gzip, measurePieces, WORTH_COMPRESSING } from './compression.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const audit: string[] = [];
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane({ audit: (line) => audit.push(line) });
  for (const name of ['a', 'b']) {
    await plane.ask('POST', PATH, { metadata: { name }, data: { text: `${name}ä`.repeat(100_000) } });
  }
  await plane.ask('POST', PATH, { metadata: { name: 'small' } });
});
afterAll(async () => {
  await plane.plane.stop();
});

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Returns the raw response, which fetch would decompress. */
function get(path: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${plane.plane.adminToken}`, ...headers };
    const sent = httpRequest(`${plane.plane.url}${path}`, { headers: all, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(pieces) }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

test.each([
  ['gzip', true],
  ['deflate, gzip;q=1.0', true],
  ['gzip;q=0', false],
  ['gzip;q=0.0, br', false],
  ['x-gzip', false],
  ['identity', false],
  [undefined, false],
])('Accept-Encoding %j takes gzip: %j', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});

test('measuring a list of pieces leaves them unchanged', () => {
  const piece = 'x'.repeat(WORTH_COMPRESSING / 2);
  for (const [count, large] of [
    [0, false],
    [1, false],
    [3, true],
    [9, true],
  ] as const) {
    const given = Array.from({ length: count }, (_, i) => piece + i);
    const found = measurePieces(given);
    expect([found.large, [...found.pieces]]).toEqual([large, given]);
  }
});

describe('a large response', () => {
  test.each([PATH, `${PATH}/a`, '/openapi/v2'])('for %s is compressed if the client accepts it', async (path) => {
    const plain = await get(path);
    const packed = await get(path, { 'accept-encoding': 'gzip' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toContain('Accept-Encoding');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  });

  test('is compressed, but not a small one or an error', async () => {
    expect((await get(`${PATH}/small`, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
    const missing = await get(`${PATH}/none`, { 'accept-encoding': 'gzip' });
    expect(missing.headers['content-encoding']).toBeUndefined();
  });
});

test('every response has the audit ID of its request', async () => {
  const { headers } = await get(`${PATH}/small`);
  expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  await plane.until(() => audit.some((line) => line.includes(String(headers['audit-id']))));
  const named = await get(`${PATH}/none`, { 'audit-id': 'mine' });
  expect(named.headers['audit-id']).toBe('mine');
});

test('the audit log records the user and the impersonated user', async () => {
  await get(`${PATH}/small`, {
    'audit-id': 'acting',
    'impersonate-user': 'jane',
    'impersonate-group': 'system:masters',
  });
  await plane.until(() => audit.some((line) => line.includes('"acting"')));
  const line = audit.find((found) => found.includes('"acting"')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({
    verb: 'get',
    objectRef: { name: 'small' },
    user: { groups: expect.arrayContaining(['system:masters']) },
    impersonatedUser: { username: 'jane', groups: ['system:masters', 'system:authenticated'] },
  });
});

test('a request for a deprecated kind gets a warning, also for a list', async () => {
  const { headers } = await get('/api/v1/namespaces/default/endpoints');
  const reported = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
  expect(headers['warning']).toBe(`299 - "${reported}"`);
});

test('an error of what is compressed reaches its reader, and no one else', async () => {
  async function* failing() {
    yield 'a'.repeat(1000);
    throw new Error('the client disconnected');
  }
  await expect(Array.fromAsync(gzip(failing()))).rejects.toThrow('the client disconnected');
});
