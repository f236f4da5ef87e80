import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionOf, GROUP, type Plane, startPlane, version } from '../apiextensions/plane.fixture.ts';

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const CROWDS = `/apis/${GROUP}/v1/namespaces/default/crowds`;
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
  const paths = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  const open = { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } } as never;
  await plane.define(
    definitionOf('crowds', 'Crowd', [version('v1', { schema, subresources: { scale: paths, status: {} } })]),
  );
});
afterAll(async () => {
  await plane.plane.stop();
});

const scale = (name: string, replicas?: unknown, metadata: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, ...metadata },
  ...(replicas === undefined ? {} : { spec: { replicas } }),
});

async function deploy(name: string): Promise<string> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await plane.ask('POST', `${DEPLOYMENTS}?fieldManager=maker`, { metadata: { name }, spec });
  return `${DEPLOYMENTS}/${name}`;
}

async function crowd(name: string, spec: unknown): Promise<string> {
  await plane.ask('POST', CROWDS, { apiVersion: `${GROUP}/v1`, kind: 'Crowd', metadata: { name }, spec });
  return `${CROWDS}/${name}`;
}

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

const ownersOf = async (path: string) =>
  ((await plane.ask('GET', path)).body['metadata'] as { managedFields: Owner[] }).managedFields;

describe('an apply to a scale', () => {
  test('is rejected if another manager owns the replicas, and takes ownership by force', async () => {
    const path = await deploy('applied');
    const rejected = await plane.ask('PATCH', `${path}/scale?fieldManager=x`, scale('applied', 3), APPLY);
    expect([rejected.code, rejected.body['message']]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "maker" using autoscaling/v1: .spec.replicas',
    ]);
    const forced = await plane.ask('PATCH', `${path}/scale?fieldManager=x&force=true`, scale('applied', 3), APPLY);
    expect([forced.code, forced.body['spec']]).toEqual([200, { replicas: 3 }]);
    const owner = (await ownersOf(path)).find(({ subresource }) => subresource === 'scale');
    expect(owner).toMatchObject({ manager: 'x', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } });
    const other = await plane.ask('PATCH', `${path}/scale?fieldManager=y`, scale('applied', 4), APPLY);
    expect(other.body['message']).toBe(
      'Apply failed with 1 conflict: conflict with "x" with subresource "scale": .spec.replicas',
    );
  });

  test('needs a field manager, the kind Scale, and the name in the path', async () => {
    const path = `${await deploy('checked')}/scale`;
    const codes = await Promise.all([
      plane.ask('PATCH', path, scale('checked', 3), APPLY),
      plane.ask('PATCH', `${path}?fieldManager=x`, { ...scale('checked', 3), apiVersion: 'v1' }, APPLY),
      plane.ask('PATCH', `${path}?fieldManager=x`, scale('other', 3), APPLY),
    ]);
    expect(codes.map(({ code, body }) => [code, body['message']])).toEqual([
      [422, 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'],
      [400, 'invalid object type: /v1, Kind=Scale'],
      [400, 'the name of the object (other) does not match the name on the URL (checked)'],
    ]);
  });

  test('scales custom objects too', async () => {
    const path = await crowd('applied', { replicas: 1 });
    const forced = await plane.ask('PATCH', `${path}/scale?fieldManager=x&force=true`, scale('applied', 5), APPLY);
    expect([forced.code, (await plane.ask('GET', path)).body['spec']]).toEqual([200, { replicas: 5 }]);
  });
});

describe('a PUT of a scale', () => {
  test.each([
    ['with another name', scale('other', 3), 400],
    ['with another uid', scale('put', 3, { uid: 'other' }), 409],
    ['with an unknown field', { ...scale('put', 3), more: 1 }, 400],
  ])('%s is rejected', async (_what, body, code) => {
    const path = await deploy('put');
    expect((await plane.ask('PUT', `${path}/scale?fieldValidation=Strict`, body)).code).toBe(code);
    expect((await plane.ask('GET', path)).body['spec']).toMatchObject({ replicas: 2 });
  });
});

describe('a custom object with a scale', () => {
  test.each([
    ['x', '0: .spec.replicas accessor error: x is of the type string, expected int64'],
    [1.5, '0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64'],
    [{ a: 'b' }, '0: .spec.replicas accessor error: map[a:b] is of the type map[string]interface {}, expected int64'],
    [null, '0: .spec.replicas accessor error: <nil> is of the type <nil>, expected int64'],
    [-3, '-3: should be a non-negative integer'],
    [2 ** 32, '4294967296: should be less than or equal to 2147483647'],
  ])('cannot have %j replicas', async (replicas, reported) => {
    const object = { apiVersion: `${GROUP}/v1`, kind: 'Crowd', metadata: { name: 'bad' }, spec: { replicas } };
    const { code, body } = await plane.ask('POST', CROWDS, object);
    expect([code, body['message']]).toEqual([
      422,
      `Crowd.${GROUP} "bad" is invalid: .spec.replicas: Invalid value: ${reported}`,
    ]);
  });

  test('rejects a status that its scale cannot represent', async () => {
    const path = `${await crowd('shown', { replicas: 1 })}/status`;
    for (const status of [{ replicas: 'x' }, { selector: { a: 'b' } }]) {
      expect((await plane.ask('PATCH', path, { status }, MERGE)).code).toBe(422);
    }
  });

  test('can be scaled although it had no number of replicas', async () => {
    const path = await crowd('empty', {});
    expect((await plane.ask('GET', `${path}/scale`)).code).toBe(500);
    const nothing = await plane.ask('PATCH', `${path}/scale`, {}, MERGE);
    expect([nothing.code, nothing.body['message']]).toEqual([
      400,
      'the spec replicas field ".spec.replicas" cannot be empty',
    ]);
    const first = await plane.ask('PATCH', `${path}/scale`, { spec: { replicas: 4 } }, MERGE);
    expect([first.code, (await plane.ask('GET', path)).body['spec']]).toEqual([200, { replicas: 4 }]);
  });
});
