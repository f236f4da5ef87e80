import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
});
afterAll(async () => {
  await plane.plane.stop();
});

/** Sends bytes and returns the whole response until the connection ends. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(plane.plane.port, '127.0.0.1', () => socket.write(text));
    let response = '';
    socket.on('data', (piece: Buffer) => {
      response += piece.toString('utf8');
    });
    // The connection may end in any way.
    socket.on('error', () => {});
    socket.on('close', () => resolve(response));
  });
}

test.each(['FOO', 'CONNECT'])(
  'the method %s, which Node.js does not support, is rejected with a Status',
  async (method) => {
    const response = await exchange(`${method} ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(JSON.parse(response.slice(response.indexOf('{')))).toMatchObject({
      kind: 'Status',
      reason: 'MethodNotAllowed',
    });
  },
);

test('data that is not HTTP gets no response', async () => {
  expect(await exchange('\u0016\u0003\u0001 nothing\r\n\r\n')).toBe('');
});

test.each([';;;', 'application/json;;;', 'application/json;charset'])(
  'a body of the unknown type %s is rejected',
  async (type) => {
    const { code, body } = await plane.ask('POST', PATH, { metadata: { name: 'a' } }, type);
    expect([code, body['reason']]).toEqual([415, 'UnsupportedMediaType']);
  },
);

test('a content type may be in capital letters', async () => {
  const { code } = await plane.ask('POST', PATH, { metadata: { name: 'capital' } }, 'APPLICATION/JSON');
  expect(code).toBe(201);
});

test('a patch of an unknown type is rejected as by Kubernetes', async () => {
  const { code, body } = await plane.ask('PATCH', `${PATH}/capital`, {}, 'text/plain');
  expect([code, body['message']]).toEqual([415, '415: Unsupported Media Type']);
});

describe('paths', () => {
  test.each(['/api', '/api/v1', '/apis/apps/v1', '/version'])('%s are read-only', async (path) => {
    expect((await plane.ask('GET', path)).code).toBe(200);
    for (const method of ['POST', 'DELETE', 'PUT', 'PATCH']) expect((await plane.ask(method, path)).code).toBe(405);
  });

  test.each([
    '//api/v1/namespaces',
    '/api//v1/namespaces',
    '/api/v1//namespaces',
    '/api/v1/namespaces//default',
    '/a//b',
  ])('%s are not found', async (path) => {
    expect((await plane.ask('GET', path)).code).toBe(404);
  });

  test('may be preceded by the address of the server', async () => {
    const lines = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${plane.plane.adminToken}\r\n\r\n`;
    const response = await exchange(`GET http://x/api/v1/namespaces/default?pretty=0 HTTP/1.1\r\n${lines}`);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response).toContain('"kind":"Namespace"');
  });

  test('/ lists all others', async () => {
    const { body } = await plane.ask('GET', '/');
    expect(body['paths']).toEqual(expect.arrayContaining(['/api/v1', '/apis/apps', '/apis/apps/v1', '/version']));
  });
});

describe('a body of null', () => {
  test('is decoded as an object without fields', async () => {
    const { code, body } = await plane.ask('POST', PATH, null);
    expect([code, body['message']]).toEqual([
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ]);
  });

  test('may have null as its kind and apiVersion', async () => {
    const made = await plane.ask('POST', PATH, { kind: null, apiVersion: null, metadata: { name: 'untyped' } });
    expect(made.code).toBe(201);
    const options = { kind: null, apiVersion: null };
    expect((await plane.ask('DELETE', `${PATH}/untyped`, options)).code).toBe(200);
  });
});

describe('a review', () => {
  test.each([
    ['authentication.k8s.io', 'tokenreviews', {}, 'token is required for TokenReview in authentication'],
    ['authorization.k8s.io', 'selfsubjectrulesreviews', { spec: {} }, 'no namespace on request'],
  ])('of %s that lacks a required field is rejected: %s', async (group, plural, body, message) => {
    const response = await plane.ask('POST', `/apis/${group}/v1/${plural}`, body);
    expect([response.code, response.body['message']]).toEqual([400, message]);
  });

  test('may be about a namespace that does not exist', async () => {
    const spec = { user: 'x', resourceAttributes: { namespace: 'none', verb: 'get', resource: 'pods' } };
    const path = '/apis/authorization.k8s.io/v1/namespaces/none/localsubjectaccessreviews';
    const { code, body } = await plane.ask('POST', path, { spec });
    expect([code, body['status']]).toEqual([201, { allowed: false }]);
  });
});
