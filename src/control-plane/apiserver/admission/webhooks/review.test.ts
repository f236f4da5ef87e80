import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Plane, startPlane } from '../../apiextensions/plane.fixture.ts';
import { ADMISSION_GROUP } from '../matching.ts';
import { type HookServer, hookServer } from './hook-server.fixture.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
let plane: Plane;
let server: HookServer;

beforeAll(async () => {
  plane = await startPlane();
});
afterAll(async () => {
  await plane.plane.stop();
});
beforeEach(async () => {
  server = await hookServer();
});
afterEach(async () => {
  for (const kind of ['mutating', 'validating']) await plane.ask('DELETE', `${configurations(kind)}/c`);
  server.close();
});

const configurations = (kind: string) => `/apis/${ADMISSION_GROUP}/v1/${kind}webhookconfigurations`;

async function configure(kind: 'mutating' | 'validating', paths: readonly string[], resources: string): Promise<void> {
  const webhooks = paths.map((path) => ({
    name: `${path}.example.com`,
    clientConfig: { url: `https://127.0.0.1:${server.port}/${path}`, caBundle: server.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [resources] }],
  }));
  expect((await plane.ask('POST', configurations(kind), { metadata: { name: 'c' }, webhooks })).code).toBe(201);
}

const requests = () => server.seen.map(({ review }) => review.request);

test('a review contains only the options of the request', async () => {
  await configure('validating', ['h'], 'configmaps');
  await plane.ask('POST', PATH, { metadata: { name: 'plain' } });
  await plane.ask('POST', `${PATH}?fieldManager=me&fieldValidation=Strict`, { metadata: { name: 'said' } });
  await plane.ask('DELETE', `${PATH}/said`, {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Background',
  });
  const header = { apiVersion: 'meta.k8s.io/v1' };
  expect(requests().map(({ options }) => options)).toEqual([
    { ...header, kind: 'CreateOptions' },
    { ...header, kind: 'CreateOptions', fieldManager: 'me', fieldValidation: 'Strict' },
    { ...header, kind: 'DeleteOptions', propagationPolicy: 'Background' },
  ]);
});

test('fields that the server sets are visible to validating webhooks, but not to mutating ones', async () => {
  await configure('mutating', ['h'], 'configmaps');
  await configure('validating', ['h'], 'configmaps');
  server.reply = ({ request: { object } }) => {
    if (object?.metadata.uid !== undefined) return { allowed: true };
    const patch = JSON.stringify([{ op: 'add', path: '/data', value: { by: 'hook' } }]);
    return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') };
  };
  const { body } = await plane.ask('POST', PATH, { metadata: { name: 'new' } });
  const [early, late] = requests().map(({ object }) => object?.metadata);
  for (const field of ['uid', 'creationTimestamp']) {
    expect(early).not.toHaveProperty(field);
    expect(late).toHaveProperty(field);
  }
  expect(body).toMatchObject({ data: { by: 'hook' }, metadata: { uid: late?.uid } });
});

test('a patched object has the resource version of its base', async () => {
  const made = await plane.ask('POST', PATH, { metadata: { name: 'patched' } });
  const { resourceVersion } = made.body['metadata'] as { resourceVersion: string };
  await configure('mutating', ['h'], 'configmaps');
  await configure('validating', ['h'], 'configmaps');
  await plane.ask('PATCH', `${PATH}/patched`, { data: { a: 'b' } }, MERGE);
  expect(requests().map(({ object }) => object?.metadata.resourceVersion)).toEqual([resourceVersion, resourceVersion]);
});

test('the review of a collection delete has no name', async () => {
  for (const name of ['one', 'two']) await plane.ask('POST', PATH, { metadata: { name, labels: { all: 'x' } } });
  await configure('validating', ['h'], 'configmaps');
  await plane.ask('DELETE', `${PATH}?labelSelector=all%3Dx`);
  expect(requests().map(({ name, oldObject }) => [name, oldObject?.metadata.name])).toEqual([
    [undefined, 'one'],
    [undefined, 'two'],
  ]);
});

test('webhooks are called for access reviews', async () => {
  await configure('validating', ['h'], 'selfsubjectaccessreviews');
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
  const requested = await plane.ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec });
  expect([requested.code, requested.body['status']]).toEqual([201, expect.objectContaining({ allowed: true })]);
  expect(requests()).toMatchObject([{ operation: 'CREATE', object: { kind: 'SelfSubjectAccessReview', spec } }]);
});

test('webhooks are called in parallel, and a denial takes precedence over a timeout', async () => {
  await configure('validating', ['slow', 'no'], 'configmaps');
  server.reply = (_review, id) => (id === 'slow' ? 'hang' : { allowed: false, status: { message: 'no way' } });
  const { code, body } = await plane.ask('POST', PATH, { metadata: { name: 'denied' } });
  expect([code, body['message']]).toEqual([400, 'admission webhook "no.example.com" denied the request: no way']);
});
