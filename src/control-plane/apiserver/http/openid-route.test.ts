import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane({ advertised: '192.0.2.7' });
});
afterAll(async () => {
  await plane.plane.stop();
});

const CONFIGURATION = '/.well-known/openid-configuration';
const KEYS = '/openid/v1/jwks';

async function read(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await fetch(`${plane.plane.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${plane.plane.adminToken}`, ...headers },
  });
  return { answer: response, text: await response.text() };
}

test('a service account token can be verified with the published keys', async () => {
  const account = '/api/v1/namespaces/default/serviceaccounts';
  await plane.ask('POST', account, { metadata: { name: 'default' } });
  const { body } = await plane.ask('POST', `${account}/default/token`, { spec: {} });
  const [head = '', claims = '', signature = ''] = (body['status'] as { token: string }).token.split('.');
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, string>;

  const configuration = JSON.parse((await read(CONFIGURATION)).text) as Record<string, unknown>;
  expect(configuration).toEqual({
    issuer: decoded(claims)['iss'],
    jwks_uri: `https://192.0.2.7:${plane.plane.port}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [decoded(head)['alg']],
  });

  const { keys } = JSON.parse((await read(KEYS)).text) as { keys: (webcrypto.JsonWebKey & { kid: string })[] };
  const key = keys.find(({ kid }) => kid === decoded(head)['kid']);
  const signed = Buffer.from(`${head}.${claims}`);
  const publicKey = { key: createPublicKey({ key: key ?? {}, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  expect(verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
});

test('both documents may be cached for an hour, and have one media type', async () => {
  for (const [path, type] of [
    [CONFIGURATION, 'application/json'],
    [KEYS, 'application/jwk-set+json'],
  ] as const) {
    const { answer: response } = await read(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    expect((await read(`${path}/`, { accept: type })).answer.status).toBe(200);
    const rejected = await read(path, { accept: 'text/html' });
    expect(rejected.answer.status).toBe(406);
    expect(JSON.parse(rejected.text)).toMatchObject({
      message: `406: Not Acceptable\n\nAvailable representations: ${type}`,
    });
    expect((await read(path, {}, 'POST')).answer.status).toBe(405);
  }
  expect((await read(KEYS, { accept: 'application/json' })).answer.status).toBe(406);
});

test('service accounts may read the documents, and other users only with a role', async () => {
  const nobody = { 'impersonate-user': 'nobody' };
  const account = {
    'impersonate-user': 'system:serviceaccount:default:default',
    'impersonate-group': 'system:serviceaccounts',
  };
  for (const path of [CONFIGURATION, KEYS]) {
    expect((await read(path, nobody)).answer.status).toBe(403);
    expect((await read(path, account)).answer.status).toBe(200);
  }
});
