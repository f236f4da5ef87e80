import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResourceType } from '#platform/kube/client';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const CORE = '/api/v1/namespaces/default';
const BINDINGS: ResourceType = { group: '', version: 'v1', plural: 'bindings', kind: 'Binding', namespaced: true };
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
  const spec = { containers: [{ name: 'a', image: 'b' }] };
  await plane.ask('POST', `${CORE}/serviceaccounts`, { metadata: { name: 'default' } });
  for (const name of ['a', 'b', 'c']) await plane.ask('POST', `${CORE}/pods`, { metadata: { name }, spec });
});
afterAll(async () => {
  await plane.plane.stop();
});

const bindingOf = (name: string, target: object = { kind: 'Node', name: 'n1' }) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name, namespace: 'default' },
  target,
});
const nodeOf = async (name: string) =>
  ((await plane.ask('GET', `${CORE}/pods/${name}`)).body['spec'] as { nodeName?: string }).nodeName;

test('a POST of a Binding assigns its pod to the node, once, and stores no object', async () => {
  const dry = await plane.ask('POST', `${CORE}/bindings?dryRun=All`, bindingOf('a'));
  expect([dry.code, await nodeOf('a')]).toEqual([201, undefined]);
  const done = await plane.ask('POST', `${CORE}/bindings`, bindingOf('a'));
  expect([done.code, done.body['kind'], done.body['status']]).toEqual([201, 'Status', 'Success']);
  expect(await nodeOf('a')).toBe('n1');
  const again = await plane.ask('POST', `${CORE}/bindings`, bindingOf('a'));
  expect([again.code, again.body['message']]).toEqual([
    409,
    'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
  ]);
});

test.each([
  ['of a missing pod', bindingOf('none'), 404, 'pods "none" not found'],
  ['without a pod', { ...bindingOf(''), metadata: {} }, 400, 'Name parameter required.'],
  [
    'to an object other than a node',
    bindingOf('b', { kind: 'X', name: 'y' }),
    500,
    /^target\.kind: Unsupported value: "X"/,
  ],
])('a Binding %s is rejected', async (_what, body, code, message) => {
  const response = await plane.ask('POST', `${CORE}/bindings`, body);
  expect([response.code, response.body['message']]).toEqual([code, expect.stringMatching(message)]);
  expect(await nodeOf('b')).toBeUndefined();
});

test('bindings cannot be read, nor created without a namespace', async () => {
  expect((await plane.ask('GET', `${CORE}/bindings/a`)).code).toBe(404);
  expect((await plane.ask('POST', '/api/v1/bindings', bindingOf('b'))).code).toBe(404);
  expect((await plane.ask('GET', `${CORE}/bindings`)).code).toBe(405);
});

test('an in-process client creates bindings and reviews as over HTTP, and stores neither', async () => {
  await plane.client.create(BINDINGS, bindingOf('c'), { namespace: 'default' });
  expect(await nodeOf('c')).toBe('n1');
  const reviews: ResourceType = {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
  };
  const review = await plane.client.create(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  });
  expect(review).toMatchObject({ status: { allowed: true } });
});
