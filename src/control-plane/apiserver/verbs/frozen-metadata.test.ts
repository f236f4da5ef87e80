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

describe('what only the server sets', () => {
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

  test('may be said as it is', async () => {
    const { code } = await plane.ask('PATCH', `${PATH}/a`, { metadata: { uid, labels: { said: 'yes' } } }, MERGE);
    expect(code).toBe(200);
  });

  test('a uid in a PUT is a condition', async () => {
    const put = await plane.ask('PUT', `${PATH}/a`, config('a', { uid: 'other' }));
    expect([put.code, put.body['message']]).toEqual([
      409,
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
    ]);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect((await plane.ask('PUT', `${leases}/new`, { metadata: { name: 'new', uid: 'other' } })).code).toBe(409);
    expect((await plane.ask('GET', `${leases}/new`)).code).toBe(404);
  });

  test('a prefix for names is the writer’s to drop', async () => {
    const { body } = await plane.ask('PUT', `${PATH}/a`, config('a', {}));
    expect(body['metadata']).not.toHaveProperty('generateName');
  });
});

describe('a configuration for what is not there', () => {
  test('is refused where it names a uid', async () => {
    const { code, body } = await plane.ask('PATCH', `${PATH}/new?fieldManager=x`, config('new', { uid: 'abc' }), APPLY);
    expect([code, body['reason'], body['message']]).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on configmaps "new": uid mismatch: the provided object specified uid abc, and no existing object was found',
    ]);
  });

  test('creates it whichever version it names', async () => {
    const body = config('versioned', { resourceVersion: '5' });
    expect((await plane.ask('PATCH', `${PATH}/versioned?fieldManager=x`, body, APPLY)).code).toBe(201);
  });
});

test('a version that is no number is a fault, and one on a new object is refused', async () => {
  const patched = await plane.ask('PATCH', `${PATH}/a`, { metadata: { resourceVersion: 'x' } }, MERGE);
  expect([patched.code, patched.body['message']]).toEqual([500, 'strconv.ParseUint: parsing "x": invalid syntax']);
  const posted = await plane.ask('POST', PATH, config('b', { resourceVersion: '5' }));
  expect([posted.code, posted.body['message']]).toEqual([
    500,
    'resourceVersion should not be set on objects to be created',
  ]);
});

test('a precondition of a deletion that does not hold names the kind', async () => {
  const { code, body } = await plane.ask('DELETE', `${PATH}/a`, { preconditions: { uid: 'other' } });
  expect([code, body['message']]).toEqual([
    409,
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  ]);
});
