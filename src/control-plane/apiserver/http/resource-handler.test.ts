import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(async () => {
  await plane.plane.stop();
});

const send = async (method: string, path: string, headers: Record<string, string>, body: string) =>
  await fetch(`${plane.plane.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${plane.plane.adminToken}`, ...headers },
    body,
  });

describe('a configuration with a duplicate key', () => {
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: twice\ndata:\n  a: b\n  a: c\n  b: d\n  b: e\n';
  const apply = async (fieldValidation: string) =>
    await send(
      'PATCH',
      `/api/v1/namespaces/default/configmaps/twice?fieldManager=test&fieldValidation=${fieldValidation}`,
      { 'content-type': 'application/apply-patch+yaml' },
      config,
    );

  test('is rejected if the client is strict', async () => {
    const response = await apply('Strict');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message:
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map\n  line 9: key "b" already set in map',
    });
  });

  test('is reported if the client requests warnings', async () => {
    const response = await apply('Warn');
    expect(response.status).toBe(201);
    expect(response.headers.get('warning')).toBe(
      String.raw`299 - "line 7: key \"a\" already set in map", 299 - "line 9: key \"b\" already set in map"`,
    );
  });

  test('is ignored silently if the client requests that', async () => {
    const response = await apply('Ignore');
    expect(response.headers.get('warning')).toBeNull();
    expect(await response.json()).toMatchObject({ data: { a: 'c', b: 'e' } });
  });
});

test('a strict client gets unknown and duplicate fields in one error', async () => {
  const path = '/api/v1/namespaces/default/configmaps?fieldValidation=';
  const body = '{"metadata":{"name":"odd","foo":1},"data":{"a":"b","a":"c"},"zoo":1}';
  const type = { 'content-type': 'application/json' };
  const rejected = await send('POST', `${path}Strict`, type, body);
  expect(await rejected.json()).toMatchObject({
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo", duplicate field "data.a", unknown field "zoo"',
  });
  const warned = await send('POST', `${path}Warn`, type, body);
  expect(warned.headers.get('warning')?.match(/\w+ field/g)).toEqual([
    'unknown field',
    'duplicate field',
    'unknown field',
  ]);
});

test('a list whose first page was compacted can be continued from its last key', async () => {
  const path = '/api/v1/namespaces/default/secrets';
  for (const name of ['a', 'b', 'c']) await plane.ask('POST', path, { metadata: { name } });
  const first = await plane.ask('GET', `${path}?limit=1`);
  await plane.ask('POST', path, { metadata: { name: 'd' } });
  const { main } = plane.plane.backend.stores;
  await main.compact(main.revision);
  const { continue: token } = first.body['metadata'] as { continue: string };
  const expired = await plane.ask('GET', `${path}?limit=1&continue=${token}`);
  expect(expired).toMatchObject({ code: 410, body: { reason: 'Expired' } });
  const { continue: next } = expired.body['metadata'] as { continue: string };
  const rest = await plane.ask('GET', `${path}?continue=${next}`);
  expect((rest.body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
    'b',
    'c',
    'd',
  ]);
});

test('a review is not available as a table', async () => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const body = '{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}';
  const type = { 'content-type': 'application/json' };
  const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  expect((await send('POST', path, { ...type, accept: table }, body)).status).toBe(406);
  expect((await send('POST', path, { ...type, accept: `${table},application/json` }, body)).status).toBe(201);
});

test('an approver of a certificate may annotate its CertificateSigningRequest', async () => {
  const merge = 'application/merge-patch+json';
  const spec = { request: await pemRequest(), signerName: 'example.com/signer', usages: ['client auth'] };
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  expect((await plane.ask('POST', requests, { metadata: { name: 'a' }, spec })).code).toBe(201);
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' }];
  const approval = { metadata: { annotations: { by: 'test' } }, status: { conditions } };
  const approved = await plane.ask('PATCH', `${requests}/a/approval`, approval, merge);
  expect(approved.body).toMatchObject({ metadata: { annotations: { by: 'test' } }, spec, status: { conditions } });
});

/** Returns a certificate request, which must be signed by its own key. */
async function pemRequest(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const parts = { name: 'CN=x', keys, signingAlgorithm: algorithm };
  const made = await Pkcs10CertificateRequestGenerator.create(parts, webcrypto);
  return Buffer.from(made.toString('pem')).toString('base64');
}
