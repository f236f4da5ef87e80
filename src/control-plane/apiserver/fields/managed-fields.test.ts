import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import components from '../kubernetes/openapi-schemas.data.json' with { type: 'json' };
import { type ManagedKind, updateManagedFields } from './managed-fields.ts';
import { builtInKind } from './managed-kinds.ts';
import type { ManagedFieldsEntry } from './managers.ts';
import { fromScaleFields, toScaleFields } from './scale-fields.ts';
import { TypeSchemas } from './type-schema.ts';
import { withUnchangedTimes } from './unchanged-times.ts';

const types = new TypeSchemas(components);

function kindOf(kind: string, component: string, empty: JsonObject, subresource = ''): ManagedKind {
  const name = { group: '', version: 'v1', kind, subresource, hasStatus: kind !== 'ConfigMap' };
  return builtInKind(name, component, empty, types);
}

const configMaps = kindOf('ConfigMap', 'io.k8s.api.core.v1.ConfigMap', { metadata: {} });
const emptyPod = { metadata: {}, spec: { containers: null }, status: {} };
const pods = (subresource = '') => kindOf('Pod', 'io.k8s.api.core.v1.Pod', emptyPod, subresource);

const second = (n: number) => `2026-01-01T00:00:${String(n).padStart(2, '0')}Z`;

function record(
  live: JsonObject | undefined,
  next: JsonObject,
  manager: string,
  time = second(1),
  kind = configMaps,
): JsonObject {
  const managedFields = updateManagedFields(live, next, { kind, manager, time });
  const { managedFields: _, ...metadata } = (next['metadata'] ?? {}) as JsonObject;
  return {
    ...next,
    metadata: {
      ...metadata,
      ...(managedFields === undefined ? {} : { managedFields: managedFields as unknown as Json }),
    },
  };
}

function entriesOf(object: JsonObject): ManagedFieldsEntry[] {
  return ((object['metadata'] as JsonObject)['managedFields'] ?? []) as unknown as ManagedFieldsEntry[];
}

function dataOf(object: JsonObject, data: JsonObject): JsonObject {
  return { ...object, data: { ...(object['data'] as JsonObject), ...data } };
}

const fresh: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', uid: 'u' }, data: { a: '1' } };

describe('updateManagedFields', () => {
  it('attributes a new object to its creator, except its identity', () => {
    expect(entriesOf(record(undefined, fresh, 'creator'))).toStrictEqual([
      {
        manager: 'creator',
        operation: 'Update',
        apiVersion: 'v1',
        time: second(1),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
      },
    ]);
  });

  it('calls a manager without a name unknown', () => {
    expect(entriesOf(record(undefined, fresh, ''))[0]?.manager).toBe('unknown');
  });

  it('returns the entries themselves when nothing changes, and when only the server changes something', () => {
    const live = record(undefined, fresh, 'creator');
    for (const next of [
      JSON.parse(JSON.stringify(live)) as JsonObject,
      { ...live, metadata: { ...(live['metadata'] as JsonObject), resourceVersion: '7', generation: 3 } },
    ]) {
      expect(updateManagedFields(live, next, { kind: configMaps, manager: 'other', time: second(9) })).toBe(
        entriesOf(live),
      );
    }
  });

  it('moves a changed field to its new manager and drops managers without fields', () => {
    const live = record(undefined, fresh, 'creator');
    const both = record(live, dataOf(live, { b: '2' }), 'second', second(2));
    const moved = record(both, dataOf(both, { b: '3' }), 'third', second(3));
    expect(entriesOf(moved).map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toStrictEqual([
      ['creator', { 'f:data': { '.': {}, 'f:a': {} } }],
      ['third', { 'f:data': { 'f:b': {} } }],
    ]);
  });

  it('removes a deleted field from all managers', () => {
    const live = record(undefined, fresh, 'creator');
    expect(entriesOf(record(live, { ...live, data: {} }, 'other'))).toMatchObject([
      { manager: 'creator', time: second(1), fieldsV1: { 'f:data': {} } },
    ]);
  });

  it('keeps status and spec apart', () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] }, status: {} };
    const live = record(undefined, pod, 'user', second(1), pods());
    const ran = record(live, { ...live, status: { phase: 'Running' } }, 'node', second(2), pods('status'));
    expect(entriesOf(ran)).toMatchObject([
      { manager: 'user', fieldsV1: { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { 'f:image': {} } } } } },
      { manager: 'node', subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } },
    ]);
    const ignored = record(ran, { ...ran, status: { phase: 'Failed' } }, 'user', second(3), pods());
    expect(entriesOf(ignored)).toBe(entriesOf(ran));
  });

  it('merges the oldest updaters once there are more than ten', () => {
    let live = record(undefined, fresh, 'm00', second(0));
    for (let i = 1; i <= 11; i++) live = record(live, dataOf(live, { [`k${i}`]: 'x' }), `m${i}`, second(i));
    const entries = entriesOf(live);
    expect(entries).toHaveLength(10);
    expect(entries[0]).toStrictEqual({
      manager: 'ancient-changes',
      operation: 'Update',
      apiVersion: 'v1',
      time: second(2),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:k1': {}, 'f:k2': {} } },
    });
  });

  it.each([[[]], [[{}]]])('removes all entries if a client sends %j', (sent) => {
    const live = record(undefined, fresh, 'creator');
    const next = { ...live, metadata: { name: 'c', managedFields: sent as Json } };
    expect(updateManagedFields(live, next, { kind: configMaps, manager: 'm', time: second(2) })).toBeUndefined();
    const unmanaged = { ...fresh };
    expect(
      updateManagedFields(unmanaged, dataOf(fresh, { b: '1' }), { kind: configMaps, manager: 'm', time: '' }),
    ).toBe(undefined);
  });

  it.each([
    [[{ manager: 'x', operation: 'Nope', apiVersion: 'v1', fieldsType: 'FieldsV1' }]],
    [[{ manager: 'x', operation: 'Update', fieldsType: 'FieldsV1' }]],
    [[{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'V0' }]],
    [[{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'k:x': {} } }]],
    [null],
  ])('keeps the live entries if a client sends %j', (sent) => {
    const live = record(undefined, fresh, 'creator');
    const next = { ...live, metadata: { name: 'c', managedFields: sent as Json } };
    expect(updateManagedFields(live, next, { kind: configMaps, manager: 'm', time: second(2) })).toBe(entriesOf(live));
  });

  it('uses the entries that a client sends', () => {
    const sent = [
      {
        manager: 'x',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:b': {}, 'f:a': {} } },
      },
    ];
    const live = record(undefined, fresh, 'creator');
    const next = dataOf({ ...live, metadata: { name: 'c', managedFields: sent } }, { a: '2' });
    expect(entriesOf(record(live, next, 'm'))).toMatchObject([
      { manager: 'x', fieldsV1: { 'f:data': { 'f:b': {} } } },
      { manager: 'm', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
  });

  it('removes entries of a version that is no longer served', () => {
    const live = record(undefined, fresh, 'creator');
    const [entry] = entriesOf(live);
    const stale = {
      ...live,
      metadata: { name: 'c', managedFields: [{ ...entry, apiVersion: 'v0' }] as unknown as Json },
    };
    expect(entriesOf(record(stale, dataOf(stale, { b: '1' }), 'm')).map(({ manager }) => manager)).toStrictEqual(['m']);
  });

  it('owns duplicate items as a whole', () => {
    const pod = (env: Json) => ({ metadata: {}, spec: { containers: [{ name: 'c', env }] }, status: {} });
    const twice = pod([
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ]);
    const live = record(undefined, twice, 'user', second(1), pods());
    expect(JSON.stringify(entriesOf(live)[0]?.fieldsV1)).toContain('"f:env":{".":{},"k:{\\"name\\":\\"A\\"}":{}}');
    const once = record(
      live,
      { ...pod([{ name: 'A', value: '2' }]), metadata: live['metadata'] as Json },
      'b',
      second(2),
      pods(),
    );
    expect(JSON.stringify(entriesOf(once)[1]?.fieldsV1)).toContain(
      '"f:env":{"k:{\\"name\\":\\"A\\"}":{".":{},"f:name":{},"f:value":{}}}',
    );
  });

  it('manages nothing if list items have no key', () => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    const items = { type: 'object', properties: { name: { type: 'string' } } };
    const type = types.custom({ properties: { spec: { type: 'object', properties: { list: { ...list, items } } } } });
    const kind = { ...configMaps, type, empty: {}, custom: true };
    const write = { kind, manager: 'm', time: second(1) };
    expect(updateManagedFields(undefined, { spec: { list: [{ name: 'a' }] } }, write)).toHaveLength(1);
    expect(updateManagedFields(undefined, { spec: { list: [{}] } }, write)).toBeUndefined();
  });
});

describe('managedFields of a Scale', () => {
  const replicas = ['f:spec', 'f:replicas'];
  const paths = new Map([['apps/v1', replicas]]);
  const owner: ManagedFieldsEntry = {
    manager: 'c',
    operation: 'Update',
    apiVersion: 'apps/v1',
    time: second(1),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
  };

  it('contain only the replicas', () => {
    expect(toScaleFields([owner], paths)).toStrictEqual([
      { ...owner, apiVersion: 'autoscaling/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
  });

  it('move the replicas of the object to the manager that scaled it', () => {
    const scaled: ManagedFieldsEntry = {
      ...owner,
      manager: 's',
      apiVersion: 'autoscaling/v1',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };
    expect(fromScaleFields([owner], [scaled], paths, 'apps/v1')).toStrictEqual([
      {
        manager: 's',
        operation: 'Update',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
      { ...owner, fieldsV1: { 'f:spec': { 'f:paused': {} } } },
    ]);
  });

  it('change nothing when the replicas keep their owner', () => {
    expect(fromScaleFields([owner], toScaleFields([owner], paths), paths, 'apps/v1')).toStrictEqual([owner]);
  });
});

describe('withUnchangedTimes', () => {
  const live = record(undefined, fresh, 'creator');
  const later = (object: JsonObject): JsonObject => {
    const entries = entriesOf(object).map((entry) => ({ ...entry, time: second(9) }));
    return {
      ...object,
      metadata: { ...(object['metadata'] as JsonObject), managedFields: entries as unknown as Json },
    };
  };

  it('restores the times if nothing else changed', () => {
    expect(withUnchangedTimes(live, later(live))).toStrictEqual(live);
  });

  it('keeps the times if something else changed', () => {
    const next = later(dataOf(live, { b: '1' }));
    expect(withUnchangedTimes(live, next)).toBe(next);
  });
});
