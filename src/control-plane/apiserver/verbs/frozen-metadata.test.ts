import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
let plane: Plane;
let uid: string;

beforeAll(async () => {
  plane = await startPlane();
  const { body } = await plane.ask('POST', PATH, { metadata: { name: 'a', generateName: 'x-' } });
  uid = (body['metadata'] as { uid: string }).uid;
});
afterAll(async () => {
  await plane.plane.stop();
});

const config = (name: string, metadata: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});
const reported = (name: string, field: string, value: string) =>
  `ConfigMap "${name}" is invalid: metadata.${field}: Invalid value: ${value}: field is immutable`;

describe('in the metadata of an object,', () => {
  test.each([
    ['uid', 'other', '"other"'],
    ['deletionTimestamp', '2020-01-01T00:00:00Z', '"2020-01-01T00:00:00Z"'],
    ['deletionGracePeriodSeconds', 5, '5'],
  ])('%s cannot be changed by a patch', async (field, value, shown) => {
    const merged = await plane.ask('PATCH', `${PATH}/a`, { metadata: { [field]: value } }, MERGE);
    expect([merged.code, merged.body['message']]).toEqual([422, reported('a', field, shown)]);
    expect((merged.body['details'] as { causes: object[] }).causes).toHaveLength(2);
    const body = config('a', { [field]: value });
    const applied = await plane.ask('PATCH', `${PATH}/a?fieldManager=x`, body, APPLY);
    expect([applied.code, applied.body['message']]).toEqual([422, reported('a', field, shown)]);
  });

  test('an unchanged uid may be sent', async () => {
    const { code } = await plane.ask('PATCH', `${PATH}/a`, { metadata: { uid, labels: { said: 'yes' } } }, MERGE);
    expect(code).toBe(200);
  });

  test('the uid in a PUT is a precondition', async () => {
    const put = await plane.ask('PUT', `${PATH}/a`, config('a', { uid: 'other' }));
    expect([put.code, put.body['message']]).toEqual([
      409,
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
    ]);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect((await plane.ask('PUT', `${leases}/new`, { metadata: { name: 'new', uid: 'other' } })).code).toBe(409);
    expect((await plane.ask('GET', `${leases}/new`)).code).toBe(404);
  });

  test('the generateName can be removed', async () => {
    const { body } = await plane.ask('PUT', `${PATH}/a`, config('a', {}));
    expect(body['metadata']).not.toHaveProperty('generateName');
  });
});

describe('an apply to an object that does not exist', () => {
  test('is rejected if it contains a uid', async () => {
    const { code, body } = await plane.ask('PATCH', `${PATH}/new?fieldManager=x`, config('new', { uid: 'abc' }), APPLY);
    expect([code, body['reason'], body['message']]).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on configmaps "new": uid mismatch: the provided object specified uid abc, and no existing object was found',
    ]);
  });

  test('creates it whatever resource version it contains', async () => {
    const body = config('versioned', { resourceVersion: '5' });
    expect((await plane.ask('PATCH', `${PATH}/versioned?fieldManager=x`, body, APPLY)).code).toBe(201);
  });
});

test('a resource version that is not a number is an internal error, and one on a new object is rejected', async () => {
  const patched = await plane.ask('PATCH', `${PATH}/a`, { metadata: { resourceVersion: 'x' } }, MERGE);
  expect([patched.code, patched.body['message']]).toEqual([500, 'strconv.ParseUint: parsing "x": invalid syntax']);
  const posted = await plane.ask('POST', PATH, config('b', { resourceVersion: '5' }));
  expect([posted.code, posted.body['message']]).toEqual([
    500,
    'resourceVersion should not be set on objects to be created',
  ]);
});

test('the resource version 0 matches any version, as in kube-apiserver', async () => {
  const put = await plane.ask('PUT', `${PATH}/a`, config('a', { resourceVersion: '0', labels: { b: 'c' } }));
  expect(put).toMatchObject({ code: 200, body: { metadata: { labels: { b: 'c' } } } });
  const patched = await plane.ask('PATCH', `${PATH}/a`, { metadata: { resourceVersion: '0', labels: null } }, MERGE);
  expect(patched.code).toBe(200);
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  await plane.ask('POST', leases, { metadata: { name: 'a' } });
  const lease = await plane.ask('PUT', `${leases}/a`, { metadata: { name: 'a', resourceVersion: '0' } });
  expect(lease.body['message']).toContain('Invalid value: 0: must be specified for an update');
});

test('a strategic merge patch ignores another apiVersion, and a merge patch with one is rejected', async () => {
  const type = { apiVersion: 'v2', kind: 'ConfigMap' };
  const patched = await plane.ask('PATCH', `${PATH}/a`, type, 'application/strategic-merge-patch+json');
  expect([patched.code, patched.body['apiVersion']]).toEqual([200, 'v1']);
  expect((await plane.ask('PATCH', `${PATH}/a`, type, MERGE)).code).toBe(422);
});

test('a failed precondition of a deletion names the kind', async () => {
  const { code, body } = await plane.ask('DELETE', `${PATH}/a`, { preconditions: { uid: 'other' } });
  expect([code, body['message']]).toEqual([
    409,
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  ]);
});
