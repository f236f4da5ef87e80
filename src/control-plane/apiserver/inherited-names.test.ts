import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionOf, GROUP, type Plane, specOf, startPlane, version } from './apiextensions/plane.fixture.ts';

/** Names that every object inherits, and that users may still choose as keys. */
const NAMES = ['constructor', 'toString', 'hasOwnProperty', '__proto__'] as const;
const CORE = '/api/v1/namespaces/default';
const MERGE = 'application/merge-patch+json';
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
});
afterAll(async () => {
  await plane.plane.stop();
});

/** Returns an object whose only key is this one, whatever its name. */
const only = <T>(key: string, value: T): Record<string, T> => Object.fromEntries([[key, value]]);
const nameOf = (key: string) => `of-${key.replaceAll('_', '').toLowerCase()}`;

describe.each(NAMES)('a key named %s', (key) => {
  test('is stored in a ConfigMap by every kind of write', async () => {
    const name = nameOf(key);
    const made = await plane.ask('POST', `${CORE}/configmaps`, { metadata: { name }, data: only(key, 'a') });
    expect([made.code, made.body['data']]).toEqual([201, only(key, 'a')]);
    const path = `${CORE}/configmaps/${name}`;
    const merged = await plane.ask('PATCH', path, { data: { ...only(key, 'b'), other: 'c' } }, MERGE);
    expect(merged.body['data']).toEqual({ ...only(key, 'b'), other: 'c' });
    const removed = await plane.ask(
      'PATCH',
      path,
      [{ op: 'remove', path: `/data/${key}` }],
      'application/json-patch+json',
    );
    expect(removed.body['data']).toEqual({ other: 'c' });
  });

  test('cannot be removed from an immutable ConfigMap', async () => {
    const name = `sealed-${nameOf(key)}`;
    await plane.ask('POST', `${CORE}/configmaps`, { metadata: { name }, data: only(key, 'a'), immutable: true });
    const { code } = await plane.ask('PATCH', `${CORE}/configmaps/${name}`, { data: only(key, null) }, MERGE);
    expect(code).toBe(422);
  });

  test('is stored in a Secret', async () => {
    const made = await plane.ask('POST', `${CORE}/secrets`, {
      metadata: { name: nameOf(key) },
      stringData: only(key, 'a'),
    });
    expect(made.body['data']).toEqual(only(key, 'YQ=='));
  });

  test('is an ordinary resource name in a LimitRange', async () => {
    const limits = [{ type: 'Container', max: only(`example.com/${key}`, '1'), min: only(key, '1') }];
    const requested = await plane.ask('POST', `${CORE}/limitranges`, { metadata: { name: 'x' }, spec: { limits } });
    expect(requested.code).toBe(422);
    expect(JSON.stringify(requested.body)).toContain(`spec.limits[0].defaultRequest[${key}]`);
  });

  test('is an ordinary field of a custom kind: required, defaulted, compared, and visible to CEL rules', async () => {
    const plural = `${nameOf(key).replace('-', '')}s`;
    const text = { type: 'string' };
    const field = key === '__proto__' ? '__underscores__proto__underscores__' : key;
    const rules = [{ rule: `!has(self.${field}) || self.${field} == 'good'` }];
    await plane.define(
      definitionOf(plural, `Of${plural}`, [
        version('v1', {
          schema: specOf({
            needed: { type: 'object', required: [key], properties: only(key, text) },
            filled: { type: 'object', properties: only(key, { ...text, default: 'filled' }) },
            ruled: { type: 'object', properties: only(key, text), 'x-kubernetes-validations': rules },
            counted: { type: 'object', properties: only(key, { type: 'integer' }) },
          }),
          subresources: { scale: { specReplicasPath: `.spec.counted.${key}`, statusReplicasPath: '.status.replicas' } },
        }),
      ]),
    );
    const path = `/apis/${GROUP}/v1/namespaces/default/${plural}`;
    const object = (name: string, spec: object) => ({
      apiVersion: `${GROUP}/v1`,
      kind: `Of${plural}`,
      metadata: { name },
      spec,
    });
    const lacking = await plane.ask('POST', path, object('a', { needed: {} }));
    expect([lacking.code, JSON.stringify(lacking.body)]).toEqual([422, expect.stringContaining(`spec.needed.${key}`)]);
    const made = await plane.ask('POST', path, object('a', { filled: {}, ruled: {}, counted: only(key, 1) }));
    expect([made.code, made.body['spec']]).toEqual([
      201,
      { filled: only(key, 'filled'), ruled: {}, counted: only(key, 1) },
    ]);
    expect((await plane.ask('POST', path, object('b', { ruled: only(key, 'bad') }))).code).toBe(422);
    const scaled = await plane.ask('PATCH', `${path}/a/scale`, { spec: { replicas: 7 } }, MERGE);
    expect(scaled.body['spec']).toEqual({ replicas: 7 });
    const { spec } = (await plane.ask('GET', `${path}/a`)).body as { spec?: Record<string, unknown> };
    expect(spec?.['counted']).toEqual(only(key, 7));
  });
});

test('a replicas path through an inherited property does not change that property', async () => {
  const paths = { specReplicasPath: '.spec.__proto__.isPrototypeOf', statusReplicasPath: '.status.replicas' };
  const open = { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' };
  await plane.define(
    definitionOf('leaks', 'Leak', [
      version('v1', {
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open } } } as never,
        subresources: { scale: paths },
      }),
    ]),
  );
  const path = `/apis/${GROUP}/v1/namespaces/default/leaks`;
  await plane.ask('POST', path, { apiVersion: `${GROUP}/v1`, kind: 'Leak', metadata: { name: 'a' }, spec: { b: 1 } });
  await plane.ask('PUT', `${path}/a/scale`, { metadata: { name: 'a' }, spec: { replicas: 4 } });
  expect(typeof ({} as Record<string, unknown>)['isPrototypeOf']).toBe('function');
});
