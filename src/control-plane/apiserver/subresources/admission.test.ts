import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HookServer, hookServer, patch, type Reply } from '../admission/webhooks/hook-server.fixture.ts';
import type { AdmissionReviewRequest } from '../admission/webhooks/review.ts';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const HOOKS = '/apis/admissionregistration.k8s.io/v1';
const merge = 'application/merge-patch+json';

let plane: Plane;
let hooks: HookServer;
let count = 0;

beforeAll(async () => {
  hooks = await hookServer();
  plane = await startPlane();
  await plane.ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});
afterAll(async () => {
  hooks.close();
  await plane.plane.stop();
});

async function newPod(metadata: object = {}, nodeName = 'n1'): Promise<string> {
  const name = `p${++count}`;
  const spec = { containers: [{ name: 'c', image: 'i' }], ...(nodeName === '' ? {} : { nodeName }) };
  const created = await plane.ask('POST', PODS, { metadata: { name, ...metadata }, spec });
  expect(created.code).toBe(201);
  return name;
}

/** Calls webhooks for subresources while a test runs. */
async function watched(
  kind: 'validating' | 'mutating',
  resources: string[],
  reply: Reply,
  test: () => Promise<void>,
): Promise<AdmissionReviewRequest[]> {
  const [title] = kind === 'validating' ? ['ValidatingWebhookConfiguration'] : ['MutatingWebhookConfiguration'];
  const webhook = {
    name: 'h.example.com',
    clientConfig: { url: `https://localhost:${hooks.port}/h`, caBundle: hooks.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources, operations: ['*'] }],
  };
  hooks.reply = reply;
  hooks.seen.length = 0;
  const path = `${HOOKS}/${kind}webhookconfigurations`;
  expect((await plane.ask('POST', path, { kind: title, metadata: { name: 'w' }, webhooks: [webhook] })).code).toBe(201);
  try {
    await test();
    return hooks.seen.map(({ review }) => review.request);
  } finally {
    await plane.ask('DELETE', `${path}/w`);
  }
}

const allow: Reply = () => ({});
const deny: Reply = () => ({ allowed: false, status: { message: 'no', code: 403 } });

describe('webhooks are called for', () => {
  it('an eviction, and not for the deletion that follows', async () => {
    const name = await newPod();
    const [first, ...more] = await watched('validating', ['*/*'], allow, async () => {
      const body = { metadata: { name }, deleteOptions: { gracePeriodSeconds: 0 } };
      expect((await plane.ask('POST', `${PODS}/${name}/eviction`, body)).code).toBe(201);
    });
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'eviction',
      requestKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      requestSubResource: 'eviction',
      operation: 'CREATE',
      name,
      namespace: 'default',
      oldObject: null,
      object: { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name, namespace: 'default' } },
      options: { kind: 'CreateOptions' },
    });
    expect((await plane.ask('GET', `${PODS}/${name}`)).code).toBe(404);
  });

  it('an eviction by an in-process client', async () => {
    const name = await newPod();
    const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
    const seen = await watched('validating', ['pods/eviction'], deny, async () => {
      const evicted = plane.client.act(pods, name, 'eviction', { metadata: { name } }, { namespace: 'default' });
      await expect(evicted).rejects.toMatchObject({ message: expect.stringContaining('denied the request: no') });
    });
    expect(seen[0]?.object).toMatchObject({ kind: 'Eviction', apiVersion: 'policy/v1' });
    expect((await plane.ask('GET', `${PODS}/${name}`)).code).toBe(200);
  });

  it('a binding, which they can change', async () => {
    const name = await newPod({}, '');
    const reply = () => patch({ op: 'replace', path: '/target/name', value: 'n2' });
    const [request] = await watched('mutating', ['pods/binding'], reply, async () => {
      const body = { metadata: { name }, target: { kind: 'Node', name: 'n1' } };
      expect((await plane.ask('POST', `${PODS}/${name}/binding`, body)).code).toBe(201);
    });
    expect(request).toMatchObject({ kind: { kind: 'Binding', version: 'v1' }, operation: 'CREATE' });
    expect((await plane.ask('GET', `${PODS}/${name}`)).body).toMatchObject({ spec: { nodeName: 'n2' } });
  });

  it('a binding that they reject', async () => {
    const name = await newPod({}, '');
    await watched('validating', ['pods/binding'], deny, async () => {
      const body = { metadata: { name }, target: { name: 'n1' } };
      expect((await plane.ask('POST', `${PODS}/${name}/binding`, body)).code).toBe(403);
    });
    expect((await plane.ask('GET', `${PODS}/${name}`)).body['spec']).not.toHaveProperty('nodeName');
  });

  it('a token request', async () => {
    const [request] = await watched('validating', ['serviceaccounts/token'], deny, async () => {
      const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
      expect((await plane.ask('POST', path, { spec: {} })).code).toBe(403);
    });
    expect(request).toMatchObject({ kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } });
  });

  it('a scale as a Scale, with its old value, and can change it', async () => {
    const labels = { app: 'd' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await plane.ask('POST', deployments, { metadata: { name: 'd' }, spec });
    const reply: Reply = (_review, id) =>
      id === 'h' ? patch({ op: 'replace', path: '/spec/replicas', value: 5 }) : {};
    const [request, ...more] = await watched('mutating', ['*/*'], reply, async () => {
      const scale = { metadata: { name: 'd' }, spec: { replicas: 2 } };
      expect((await plane.ask('PUT', `${deployments}/d/scale?fieldManager=me`, scale)).body).toMatchObject({
        spec: { replicas: 5 },
      });
    });
    expect(more).toEqual([]);
    expect(request).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      subResource: 'scale',
      operation: 'UPDATE',
      object: { kind: 'Scale', spec: { replicas: 2 } },
      oldObject: { kind: 'Scale', spec: { replicas: 1 } },
    });
    const { body } = await plane.ask('GET', `${deployments}/d`);
    expect(body).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } });
    const { managedFields } = body['metadata'] as { managedFields: { manager: string }[] };
    expect(managedFields.find(({ manager }) => manager === 'me')).toMatchObject({
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    });
    await watched('validating', ['deployments/scale'], deny, async () => {
      const rejected = await plane.ask('PATCH', `${deployments}/d/scale`, { spec: { replicas: 9 } }, merge);
      expect(rejected.code).toBe(403);
    });
    const named = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };
    const change = { type: 'merge', body: { spec: { replicas: 3 } } } as const;
    const scaled = await plane.client.patch(named, 'd', change, { namespace: 'default', subresource: 'scale' });
    expect(scaled).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
  });

  it.each([
    [
      'exec?command=ls&command=-l&stdout=true&container=c',
      'PodExecOptions',
      { stdout: true, container: 'c', command: ['ls', '-l'] },
    ],
    ['attach?stdin=true&tty=true', 'PodAttachOptions', { stdin: true, tty: true }],
    ['portforward?ports=80', 'PodPortForwardOptions', { ports: [80] }],
    ['proxy/a/b?x=1', 'PodProxyOptions', { path: '/a/b' }],
  ])('a connection to %s before it is rejected', async (path, kind, options) => {
    const name = await newPod();
    const [request] = await watched('validating', ['pods/*'], deny, async () => {
      expect((await plane.ask('POST', `${PODS}/${name}/${path}`)).code).toBe(403);
    });
    expect(request).toMatchObject({ kind: { group: '', version: 'v1', kind }, operation: 'CONNECT', options: null });
    expect(request?.object).toEqual({ kind, apiVersion: 'v1', ...options });
    expect((await plane.ask('POST', `${PODS}/${name}/${path}`)).code).toBe(501);
  });
});

it('a policy can reject evictions', async () => {
  const name = await newPod();
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'], operations: ['CREATE'] };
  const validations = [
    { expression: "request.kind.kind != 'Eviction' || object.metadata.name != 'x'" },
    { expression: 'false' },
  ];
  const spec = { matchConstraints: { resourceRules: [rule] }, validations };
  await plane.ask('POST', `${HOOKS}/validatingadmissionpolicies`, { metadata: { name: 'no' }, spec });
  const binding = { policyName: 'no', validationActions: ['Deny'] };
  await plane.ask('POST', `${HOOKS}/validatingadmissionpolicybindings`, { metadata: { name: 'no' }, spec: binding });
  const body = { metadata: { name } };
  const { code, body: status } = await plane.ask('POST', `${PODS}/${name}/eviction`, body);
  expect([code, status['message']]).toEqual([422, expect.stringContaining('failed expression: false')]);
  await plane.ask('DELETE', `${HOOKS}/validatingadmissionpolicies/no`);
});

it('an eviction must name its pod, and supports dry run in its options', async () => {
  const name = await newPod();
  expect((await plane.ask('POST', `${PODS}/${name}/eviction`, {})).body).toMatchObject({
    code: 400,
    message: 'name in URL does not match name in Eviction object',
  });
  const dry = { metadata: { name }, deleteOptions: { dryRun: ['All'], gracePeriodSeconds: 0 } };
  expect((await plane.ask('POST', `${PODS}/${name}/eviction`, dry)).code).toBe(201);
  expect((await plane.ask('GET', `${PODS}/${name}`)).body['metadata']).not.toHaveProperty('deletionTimestamp');
});
