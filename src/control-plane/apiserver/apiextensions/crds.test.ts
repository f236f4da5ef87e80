import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Crd } from './crd.ts';
import { DEFINITIONS, definitionOf, GROUP, type Plane, specOf, startPlane, typeOf, version } from './plane.fixture.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane.plane.stop());

let count = 0;
/** Returns a CRD that no other test has. */
function fresh(...rest: Parameters<typeof definitionOf> extends [string, string, ...infer R] ? R : never) {
  count++;
  return definitionOf(`things${count}`, `Thing${count}`, ...rest);
}

const inDefault = { namespace: 'default' };
const named = (name: string, spec: object = {}) => ({ metadata: { name, namespace: 'default' }, spec }) as never;
const nameOf = (definition: { metadata: { name?: string } }) => definition.metadata.name ?? '';
const specIn = (object: KubeObject) => object['spec'];
const pathOf = (definition: ReturnType<typeof fresh>, v = 'v1') =>
  `/apis/${GROUP}/${v}/namespaces/default/${definition.spec.names.plural}`;
const conditionOf = ({ status }: Crd, type: string) => status?.conditions?.find((each) => each.type === type);

async function readCrd(name: string): Promise<Crd> {
  return (await plane.client.get(DEFINITIONS, name)) as unknown as Crd;
}

async function isGone(name: string): Promise<boolean> {
  return await plane.client.get(DEFINITIONS, name).then(
    () => false,
    () => true,
  );
}

describe('a new CRD', () => {
  it('is served as soon as it is established', async () => {
    for (let i = 0; i < 30; i++) {
      const definition = fresh();
      await plane.define(definition);
      const created = await plane.client.create(typeOf(definition), named('x', { a: '1' }));
      expect(specIn(created)).toEqual({ a: '1' });
    }
  });

  it('starts with storedVersions as its only status', async () => {
    const definition = fresh();
    const { body } = await plane.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    expect(body['status']).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    expect(body['spec']).toMatchObject({
      names: { singular: `thing${count}`, listKind: `Thing${count}List` },
      conversion: { strategy: 'None' },
    });
  });

  it('cannot replace a built-in resource', async () => {
    const definition = definitionOf('leases', 'Lease', [version()], { group: 'coordination.k8s.io' });
    definition.metadata = {
      name: 'leases.coordination.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved' },
    };
    await plane.define(definition);
    const { body } = await plane.ask('GET', '/apis/coordination.k8s.io/v1/leases');
    expect(body['kind']).toBe('LeaseList');
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'kept' } };
    const { code } = await plane.ask('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
    expect(code).toBe(201);
    await plane.client.delete(DEFINITIONS, 'leases.coordination.k8s.io');
    await plane.until(() => isGone('leases.coordination.k8s.io'));
    const kept = await plane.ask('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/kept');
    expect(kept.code).toBe(200);
  });
});

describe('a changed CRD', () => {
  it('applies to the next request', async () => {
    const definition = fresh();
    await plane.define(definition);
    for (let i = 0; i < 20; i++) {
      const field = `f${i}`;
      await plane.redefine(nameOf(definition), ({ versions: [first] }) => {
        if (first !== undefined) first.schema = specOf({ [field]: { type: 'integer', default: i } });
      });
      const created = await plane.client.create(typeOf(definition), named(`x${i}`));
      expect(specIn(created)).toEqual({ [field]: i });
    }
  });

  it('prunes and defaults stored objects with its current schema', async () => {
    const definition = fresh();
    await plane.define(definition);
    await plane.client.create(typeOf(definition), named('old', { a: '1' }));
    await plane.redefine(nameOf(definition), ({ versions: [first] }) => {
      if (first !== undefined) first.schema = specOf({ b: { type: 'integer', default: 7 } });
    });
    await plane.client.create(typeOf(definition), named('new'));
    expect(specIn(await plane.client.get(typeOf(definition), 'old', inDefault))).toEqual({ b: 7 });
    const { items } = await plane.client.list(typeOf(definition), inDefault);
    expect(items.map(specIn)).toEqual([{ b: 7 }, { b: 7 }]);
    const patched = await plane.client.patch(
      typeOf(definition),
      'old',
      { type: 'merge', body: { spec: { b: 8 } } },
      inDefault,
    );
    expect(patched.metadata.generation).toBe(2);
    expect(specIn(patched)).toEqual({ b: 8 });
  });

  it('keeps watches open if only its schema changed', async () => {
    const definition = fresh();
    await plane.define(definition);
    const watch = plane.follow(typeOf(definition));
    await plane.client.create(typeOf(definition), named('x'));
    await plane.redefine(nameOf(definition), ({ versions: [first] }) => {
      if (first !== undefined) first.additionalPrinterColumns = [{ name: 'A', type: 'string', jsonPath: '.spec.a' }];
    });
    await plane.client.create(typeOf(definition), named('y'));
    await plane.until(() => watch.events.length === 2);
    expect(watch.events).toEqual(['ADDED x v1', 'ADDED y v1']);
  });

  it('closes the watches of a version that is no longer served, and responds with 404', async () => {
    const definition = fresh([version(), version('v2')]);
    await plane.define(definition);
    const [first, second] = [plane.follow(typeOf(definition)), plane.follow(typeOf(definition, 'v2'))];
    await plane.client.create(typeOf(definition), named('x'));
    await plane.until(() => first.events.length + second.events.length === 2);
    await plane.redefine(nameOf(definition), ({ versions }) => {
      for (const each of versions) each.served = each.name === 'v1';
    });
    await second.ended;
    expect((await plane.ask('GET', pathOf(definition, 'v2'))).code).toBe(404);
    await plane.client.create(typeOf(definition), named('y'));
    await plane.until(() => first.events.length === 2);
    expect(second.events).toEqual(['ADDED x v2']);
    expect(first.events).toEqual(['ADDED x v1', 'ADDED y v1']);
  });

  it('returns objects in every served version, whatever version they are stored in', async () => {
    const definition = fresh([version(), version('v2')]);
    await plane.define(definition);
    await plane.client.create(typeOf(definition), named('x', { a: '1' }));
    await plane.redefine(nameOf(definition), ({ versions }) => {
      for (const each of versions) each.storage = each.name === 'v2';
    });
    await plane.client.create(typeOf(definition), named('y', { a: '2' }));
    for (const v of ['v1', 'v2']) {
      const { items } = await plane.client.list(typeOf(definition, v), inDefault);
      expect(items.map(({ apiVersion }) => apiVersion)).toEqual([`${GROUP}/${v}`, `${GROUP}/${v}`]);
      expect(items.map(specIn)).toEqual([{ a: '1' }, { a: '2' }]);
    }
    expect((await readCrd(nameOf(definition))).status?.storedVersions).toEqual(['v1', 'v2']);
    const gone = plane.redefine(nameOf(definition), (spec) => {
      spec.versions = spec.versions.filter(({ name }) => name === 'v2');
    });
    await expect(gone).rejects.toThrow('v1 was previously a storage version');
  });

  it('increments its generation only for changes of its spec', async () => {
    const definition = fresh();
    const { metadata } = await plane.define(definition);
    expect(metadata.generation).toBe(1);
    await plane.client.patch(DEFINITIONS, nameOf(definition), {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    });
    expect((await readCrd(nameOf(definition))).metadata.generation).toBe(1);
    await plane.redefine(nameOf(definition), ({ names }) => {
      names.shortNames = [`th${count}`];
    });
    const changed = await readCrd(nameOf(definition));
    expect(changed.metadata.generation).toBe(2);
    await plane.until(async () => (await readCrd(nameOf(definition))).status?.acceptedNames?.shortNames !== undefined);
  });
});

describe('two CRDs with the same names', () => {
  it('are established one after the other', async () => {
    const first = fresh();
    const second = fresh();
    first.spec.names.shortNames = ['same'];
    second.spec.names = { ...second.spec.names, kind: first.spec.names.kind, shortNames: ['same', 'other'] };
    await plane.define(first);
    await plane.client.create(DEFINITIONS, second);
    await plane.until(
      async () => conditionOf(await readCrd(nameOf(second)), 'NamesAccepted')?.reason === 'ListKindConflict',
    );
    const rejected = await readCrd(nameOf(second));
    expect(conditionOf(rejected, 'NamesAccepted')).toMatchObject({
      status: 'False',
      message: `"${first.spec.names.kind}List" is already in use`,
    });
    expect(conditionOf(rejected, 'Established')).toMatchObject({
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    });
    expect(rejected.status?.acceptedNames).toMatchObject({ plural: second.spec.names.plural, kind: '' });
    expect((await plane.ask('GET', pathOf(second))).code).toBe(404);
    await plane.client.delete(DEFINITIONS, nameOf(first));
    await plane.until(async () => conditionOf(await readCrd(nameOf(second)), 'Established')?.status === 'True');
    expect((await plane.ask('GET', pathOf(second))).code).toBe(200);
  });
});

describe('a deleted CRD', () => {
  it('deletes its instances, once their finalizers are removed', async () => {
    const definition = fresh();
    await plane.define(definition);
    const watch = plane.follow(typeOf(definition));
    await plane.client.create(typeOf(definition), named('free'));
    const held = { metadata: { name: 'held', namespace: 'default', finalizers: ['example.com/hold'] } };
    await plane.client.create(typeOf(definition), held);
    const { code, body } = await plane.ask(
      'DELETE',
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${nameOf(definition)}`,
    );
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: { generation: 1, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
    });
    expect(conditionOf(body as unknown as Crd, 'Terminating')).toMatchObject({
      status: 'True',
      reason: 'InstanceDeletionPending',
    });
    await plane.until(
      async () =>
        conditionOf(await readCrd(nameOf(definition)), 'Terminating')?.reason === 'InstanceDeletionInProgress',
    );
    await expect(plane.client.create(typeOf(definition), named('late'))).rejects.toThrow(
      `${definition.spec.names.plural}.${GROUP} "late" is forbidden: create not allowed while custom resource definition is terminating`,
    );
    await expect(plane.client.create(DEFINITIONS, definition)).rejects.toThrow('object is being deleted: ');
    await plane.client.patch(
      typeOf(definition),
      'held',
      { type: 'merge', body: { metadata: { finalizers: null } } },
      inDefault,
    );
    await plane.until(() => isGone(nameOf(definition)));
    await watch.ended;
    expect(watch.events).toEqual([
      'ADDED free v1',
      'ADDED held v1',
      'DELETED free v1',
      'MODIFIED held v1',
      'DELETED held v1',
    ]);
    expect((await plane.ask('GET', pathOf(definition))).code).toBe(404);
    await plane.define(definition);
    expect((await plane.client.list(typeOf(definition), inDefault)).items).toEqual([]);
  });

  it('deletes instances of versions that are no longer served', async () => {
    const definition = fresh();
    await plane.define(definition);
    await plane.client.create(typeOf(definition), named('x'));
    await plane.redefine(nameOf(definition), ({ versions: [first] }) => {
      if (first !== undefined) first.served = false;
    });
    await plane.client.delete(DEFINITIONS, nameOf(definition));
    await plane.until(() => isGone(nameOf(definition)));
    await plane.define(definition);
    expect((await plane.client.list(typeOf(definition), inDefault)).items).toEqual([]);
  });
});

describe('the APIServices of a CRD', () => {
  it('are created and deleted with it', async () => {
    const names = async () =>
      ((await plane.ask('GET', '/apis/apiregistration.k8s.io/v1/apiservices')).body['items'] as KubeObject[]).map(
        ({ metadata }) => metadata.name,
      );
    const definition = definitionOf('boats', 'Boat', [version(), version('v2')], { group: 'sea.example.com' });
    definition.metadata.name = 'boats.sea.example.com';
    await plane.define(definition);
    await plane.until(async () => (await names()).includes('v2.sea.example.com'));
    const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1.sea.example.com';
    await plane.until(async () => JSON.stringify(await plane.ask('GET', path)).includes('Available'));
    const { body } = await plane.ask('GET', path);
    expect(body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'sea.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect(await names()).toEqual(expect.arrayContaining(['v1.', 'v1.apps', 'v2.autoscaling']));
    await plane.client.delete(DEFINITIONS, 'boats.sea.example.com');
    await plane.until(async () => !(await names()).some((name) => name?.endsWith('sea.example.com')));
  });
});

describe('a restarted server', () => {
  it('serves its CRDs, and applies new defaults to older objects', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'vimana-custom-'));
    const options = { dataDir, store: 'lmdb' } as const;
    const definition = fresh();
    const before = await startPlane(options);
    await before.define(definition);
    await before.client.create(typeOf(definition), named('x', { a: '1' }));
    await before.redefine(nameOf(definition), ({ versions: [first] }) => {
      if (first !== undefined) first.schema = specOf({ a: { type: 'string' }, b: { type: 'integer', default: 7 } });
    });
    await before.plane.stop();
    const after = await startPlane(options);
    expect(specIn(await after.client.get(typeOf(definition), 'x', inDefault))).toEqual({ a: '1', b: 7 });
    await after.client.create(typeOf(definition), named('y', { a: '2' }));
    expect((await after.client.list(typeOf(definition), inDefault)).items.map(specIn)).toEqual([
      { a: '1', b: 7 },
      { a: '2', b: 7 },
    ]);
    await after.plane.stop();
    rmSync(dataDir, { recursive: true });
  });
});

it('no error was logged', () => {
  expect(plane.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
});
