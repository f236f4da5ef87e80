import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFINITIONS, definitionOf, GROUP, type Plane, startPlane, version } from '../apiextensions/plane.fixture.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
  await plane.define(definitionOf('probes', 'Probe', [version('v1', { subresources: { status: {} } })]));
  await plane.define(definitionOf('wides', 'Wide', [version()], { scope: 'Cluster' }));
});
afterAll(async () => {
  await plane.plane.stop();
});

const NOT_ALLOWED = 'the server does not allow this method on the requested resource';
const NO_RESOURCE = 'the server could not find the requested resource';
const NO_PAGE = '404 page not found\n';
const unsupported = (verb: string, kind: string) => `${verb} is not supported on resources of kind "${kind}"`;
const missing = (kind: string, name: string) => `${kind} "${name}" not found`;

const IN = '/api/v1/namespaces/default';
const PROBES = `/apis/${GROUP}/v1/namespaces/default/probes`;

async function asked(method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${plane.plane.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${plane.plane.adminToken}`, 'content-type': 'application/json', ...headers },
    ...(method === 'POST' || method === 'PUT' || method === 'PATCH' ? { body: '{}' } : {}),
  });
  const text = await response.text();
  const isStatus = text.startsWith('{"kind":"Status"');
  return [response.status, isStatus ? (JSON.parse(text) as { message?: string }).message : text] as const;
}

// These are the responses of kube-apiserver 1.36.
describe('a request for a missing resource or an unsupported method', () => {
  const rows: readonly (readonly [string, string, number, string])[] = [
    ['HEAD', IN, 405, ''],
    ['HEAD', `${IN}/pods`, 405, ''],
    ['HEAD', `${IN}/pods/none/status`, 405, ''],
    ['HEAD', `${IN}/pods/none/exec`, 405, ''],
    ['HEAD', '/api/v1', 405, ''],
    ['HEAD', '/version', 405, ''],
    ['HEAD', '/apis/apps/v1/nothing', 404, ''],
    ['PROPFIND', `${IN}/pods`, 405, NOT_ALLOWED],
    ['OPTIONS', IN, 405, NOT_ALLOWED],
    ['PROPFIND', '/apis/apps/v1/nothing', 404, NO_RESOURCE],
    ['PROPFIND', '/apis/none.example.com/v1/things', 404, NO_PAGE],
    ['PROPFIND', '/version', 405, NOT_ALLOWED],
    ['POST', '/api/v1', 405, NOT_ALLOWED],
    ['POST', '/apis/apps/v1', 405, NOT_ALLOWED],
    ['GET', '/api/v2', 404, NO_RESOURCE],
    ['GET', '/apis/apps/v9', 404, NO_RESOURCE],
    ['GET', '/apis/apps/v9/deployments', 404, NO_RESOURCE],
    ['GET', '/apis/none.example.com/v1', 404, NO_PAGE],
    ['GET', '/apis/none.example.com/v1/things', 404, NO_PAGE],
    ['GET', `/apis/${GROUP}/v9`, 404, NO_PAGE],
    ['GET', `/apis/${GROUP}/v1/things`, 404, NO_PAGE],
    ['PUT', `${IN}/pods`, 405, NOT_ALLOWED],
    ['PATCH', '/api/v1/namespaces', 405, NOT_ALLOWED],
    ['PUT', '/api/v1/configmaps/x', 404, NO_RESOURCE],
    ['GET', '/api/v1/configmaps/x', 404, NO_RESOURCE],
    ['GET', '/api/v1/pods/x/status', 404, NO_RESOURCE],
    ['GET', `${IN}/pods/x/status/y`, 404, NO_RESOURCE],
    ['DELETE', '/api/v1/configmaps', 405, NOT_ALLOWED],
    ['DELETE', '/api/v1/namespaces', 405, NOT_ALLOWED],
    ['POST', `${IN}/configmaps/x`, 405, NOT_ALLOWED],
    ['POST', '/api/v1/configmaps', 405, NOT_ALLOWED],
    ['GET', `${IN}/nodes`, 404, NO_RESOURCE],
    ['POST', '/api/v1/watch/namespaces', 405, NOT_ALLOWED],
    ['GET', '/api/v1/componentstatuses?watch=1', 405, unsupported('watch', 'componentstatuses')],
    ['GET', '/apis/authentication.k8s.io/v1/tokenreviews', 405, NOT_ALLOWED],
    ['GET', '/apis/authentication.k8s.io/v1/tokenreviews/x', 404, NO_RESOURCE],
    ['GET', `/apis/${GROUP}/v1/probes/x`, 404, NO_PAGE],
    ['PUT', `/apis/${GROUP}/v1/probes`, 404, NO_PAGE],
    ['DELETE', `/apis/${GROUP}/v1/probes`, 404, NO_PAGE],
    ['GET', `/apis/${GROUP}/v1/namespaces/default/wides`, 404, NO_PAGE],
    ['PROPFIND', PROBES, 405, unsupported('', `probes.${GROUP}`)],
    ['POST', `${PROBES}/x/status`, 405, unsupported('create', `probes.${GROUP}`)],
    ['GET', `${PROBES}/x/scale`, 404, missing(`probes.${GROUP}`, 'x')],
    ['PUT', PROBES, 400, 'name must be provided'],
    ['GET', `${IN}/services/none/proxy`, 404, missing('services', 'none')],
    ['GET', `${IN}/services/https:none:http/proxy/a`, 404, missing('services', 'none')],
    ['DELETE', '/api/v1/nodes/none/proxy', 404, missing('nodes', 'none')],
    ['OPTIONS', '/api/v1/nodes/none/proxy', 404, missing('nodes', 'none')],
    ['PROPFIND', '/api/v1/nodes/none/proxy', 405, NOT_ALLOWED],
    ['POST', `${IN}/pods/none/exec`, 404, missing('pods', 'none')],
    ['GET', `${IN}/pods/none/log`, 404, missing('pods', 'none')],
  ];
  test.each(rows)('%s %s: %i', async (method, path, code, message) => {
    expect(await asked(method, path)).toEqual([code, message]);
  });
});

test('a custom resource supports HEAD', async () => {
  expect(await asked('HEAD', PROBES)).toEqual([200, '']);
});

test('a subresource that only a kubelet serves is rejected by name, after authorization', async () => {
  await plane.ask('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const message = 'the subresource nodes/proxy is not served by this control plane';
    expect(await asked(method, '/api/v1/nodes/n/proxy/metrics')).toEqual([501, message]);
  }
  const [code, message] = await asked('GET', '/api/v1/nodes/none/proxy', { 'impersonate-user': 'nobody' });
  expect([code, message]).toEqual([
    403,
    'nodes "none" is forbidden: User "nobody" cannot get resource "nodes/proxy" in API group "" at the cluster scope',
  ]);
});

test('authorization comes before any other error, even for unknown methods', async () => {
  const nobody = { 'impersonate-user': 'nobody' };
  expect(await asked('PROPFIND', '/api/v1/pods', nobody)).toEqual([
    403,
    'pods is forbidden: User "nobody" cannot  resource "pods" in API group "" at the cluster scope',
  ]);
  expect((await asked('HEAD', '/api/v1/pods', nobody))[0]).toBe(403);
  expect((await asked('GET', '/apis/none.example.com/v1/things', nobody))[0]).toBe(403);
});

test('the index lists all readable paths', async () => {
  const { body } = await plane.ask('GET', '/');
  const paths = body['paths'] as string[];
  expect(paths).toEqual([...paths].sort());
  for (const path of ['/api/v1', '/apis/apps', '/apis/apps/v1', `/apis/${GROUP}/v1`, '/version', '/openid/v1/jwks']) {
    expect(paths).toContain(path);
  }
  for (const path of paths) expect((await asked('GET', path))[0]).toBe(200);
});

describe('a warning', () => {
  const ENDPOINTS = '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';

  test('is sent with an error too', async () => {
    const unknown = String.raw`299 - "unknown field \"foo\""`;
    const rejected = await plane.ask('POST', `${IN}/configmaps`, { metadata: { name: 'BAD' }, foo: 1 });
    expect(rejected).toMatchObject({ code: 422, warning: unknown });
    await plane.ask('POST', `${IN}/configmaps`, { metadata: { name: 'there' } });
    const exists = await plane.ask('POST', `${IN}/configmaps`, { metadata: { name: 'there' }, foo: 1 });
    expect(exists).toMatchObject({ code: 409, warning: unknown });
    const patch = { metadata: { resourceVersion: '1' }, foo: 1 };
    const stale = await plane.ask('PATCH', `${IN}/configmaps/there`, patch, 'application/merge-patch+json');
    expect(stale).toMatchObject({ code: 409, warning: unknown });
  });

  test('about a deprecated kind is sent with every response', async () => {
    expect(await plane.ask('GET', `${IN}/endpoints`)).toMatchObject({ code: 200, warning: ENDPOINTS });
    expect(await plane.ask('GET', `${IN}/endpoints/none`)).toMatchObject({ code: 404, warning: ENDPOINTS });
    const watch = await plane.ask('GET', `${IN}/endpoints?watch=1&timeoutSeconds=-1`);
    expect(watch).toMatchObject({ code: 200, warning: ENDPOINTS });
    expect((await plane.ask('GET', `${IN}/configmaps`)).warning).toBeNull();
  });
});

test('a deleted CRD is no longer served', async () => {
  await plane.define(definitionOf('briefs', 'Brief'));
  await plane.client.delete(DEFINITIONS, `briefs.${GROUP}`);
  await plane.until(async () => (await asked('GET', `/apis/${GROUP}/v1/briefs`))[1] === NO_PAGE);
});
