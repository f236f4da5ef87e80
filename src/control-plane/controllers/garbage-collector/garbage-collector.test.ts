import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, ResourceType } from '#platform/kube/client';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { apiVersionOf, resourceType } from '#platform/kube/kinds/resource-type';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { GarbageCollector } from './garbage-collector.ts';

const namespace = 'default';
const CLUSTER_ROLES = resourceType('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', 'Cluster');
const WIDGETS = resourceType('example.com/v1', 'Widget', 'widgets');

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
});
afterEach(() => cluster.stop());

function start(change: (client: Client) => Client = (client) => client) {
  const given = controllerDeps(cluster, 'generic-garbage-collector');
  const parts = { ...given, client: change(given.client) };
  const catalog = new DiscoveryCache(parts);
  return cluster.run(manager('test', [parts.informers, catalog, new GarbageCollector(parts, catalog)]));
}

const owner = (type: ResourceType, { metadata }: KubeObject, more: object = {}) => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...more,
});

async function make(name: string, ownerReferences: object[] = [], more: object = {}): Promise<KubeObject> {
  return await admin.create(CONFIG_MAPS, { metadata: { name, namespace, ownerReferences, ...more } } as never);
}

async function isGone(type: ResourceType, name: string, place: object = { namespace }): Promise<boolean> {
  try {
    await admin.get(type, name, place);
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

const read = (name: string) => admin.get(CONFIG_MAPS, name, { namespace });

describe('the garbage collector', () => {
  it('collects orphans from before and after its start, to any depth', async () => {
    const root = await make('root');
    const child = await make('child', [owner(CONFIG_MAPS, root)]);
    await make('grandchild', [owner(CONFIG_MAPS, child)]);
    await make('lost', [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '00000000-0000-4000-8000-000000000000' },
    ]);
    await make('free');
    start();
    await cluster.until(() => isGone(CONFIG_MAPS, 'lost'));
    expect(await isGone(CONFIG_MAPS, 'grandchild')).toBe(false);
    await admin.delete(CONFIG_MAPS, 'root', { namespace });
    await cluster.until(() => isGone(CONFIG_MAPS, 'grandchild'));
    expect(await isGone(CONFIG_MAPS, 'child')).toBe(true);
    expect(await isGone(CONFIG_MAPS, 'free')).toBe(false);
  });

  it('distinguishes an owner from a later object of the same name', async () => {
    start();
    const first = await make('root');
    await make('child', [owner(CONFIG_MAPS, first)]);
    await admin.delete(CONFIG_MAPS, 'root', { namespace });
    await make('root');
    await cluster.until(() => isGone(CONFIG_MAPS, 'child'));
    expect(await isGone(CONFIG_MAPS, 'root')).toBe(false);
  });

  it('keeps objects that still have an owner, and removes the reference to the deleted one', async () => {
    start();
    const [a, b] = [await make('a'), await make('b')];
    await make('child', [owner(CONFIG_MAPS, a), owner(CONFIG_MAPS, b)]);
    await admin.delete(CONFIG_MAPS, 'a', { namespace });
    await cluster.until(async () => (await read('child')).metadata.ownerReferences?.length === 1);
    expect((await read('child')).metadata.ownerReferences?.[0]?.name).toBe('b');
  });

  it('deletes dependents before an owner that is deleted in the foreground', async () => {
    start();
    const root = await make('root');
    await make('child', [owner(CONFIG_MAPS, root, { blockOwnerDeletion: true })], { finalizers: ['example.com/held'] });
    await make('loose', [owner(CONFIG_MAPS, root)]);
    await admin.delete(CONFIG_MAPS, 'root', { namespace, propagationPolicy: 'Foreground' });
    await cluster.until(async () => (await read('child')).metadata.deletionTimestamp !== undefined);
    await cluster.until(() => isGone(CONFIG_MAPS, 'loose'));
    await cluster.settle();
    expect((await read('root')).metadata.finalizers).toEqual(['foregroundDeletion']);
    await admin.patch(CONFIG_MAPS, 'child', { type: 'merge', body: { metadata: { finalizers: null } } }, { namespace });
    await cluster.until(() => isGone(CONFIG_MAPS, 'root'));
  });

  it('finishes a foreground deletion of an object without dependents', async () => {
    start();
    await make('root');
    await admin.delete(CONFIG_MAPS, 'root', { namespace, propagationPolicy: 'Foreground' });
    await cluster.until(() => isGone(CONFIG_MAPS, 'root'));
  });

  it('resolves cycles of owners', async () => {
    start();
    const a = await make('a');
    const b = await make('b', [owner(CONFIG_MAPS, a, { blockOwnerDeletion: true })]);
    const ownerReferences = [owner(CONFIG_MAPS, b, { blockOwnerDeletion: true })];
    await admin.patch(CONFIG_MAPS, 'a', { type: 'merge', body: { metadata: { ownerReferences } } }, { namespace });
    await admin.delete(CONFIG_MAPS, 'a', { namespace, propagationPolicy: 'Foreground' });
    await cluster.until(() => isGone(CONFIG_MAPS, 'a'));
    await cluster.until(() => isGone(CONFIG_MAPS, 'b'));
  });

  it('keeps dependents if the owner is deleted with the policy Orphan', async () => {
    start();
    const root = await make('root');
    await make('child', [owner(CONFIG_MAPS, root, { blockOwnerDeletion: true })]);
    await cluster.settle();
    await admin.delete(CONFIG_MAPS, 'root', { namespace, propagationPolicy: 'Orphan' });
    await cluster.until(() => isGone(CONFIG_MAPS, 'root'));
    await cluster.settle();
    expect((await read('child')).metadata.ownerReferences ?? []).toEqual([]);
  });

  it('collects dependents of cluster-scoped owners, and never a cluster-scoped object of a namespaced owner', async () => {
    start();
    const role = await admin.create(CLUSTER_ROLES, { metadata: { name: 'role' } });
    await make('child', [owner(CLUSTER_ROLES, role)]);
    const inside = await make('inside');
    await admin.create(CLUSTER_ROLES, { metadata: { name: 'odd', ownerReferences: [owner(CONFIG_MAPS, inside)] } });
    await admin.delete(CLUSTER_ROLES, 'role');
    await admin.delete(CONFIG_MAPS, 'inside', { namespace });
    await cluster.until(() => isGone(CONFIG_MAPS, 'child'));
    await cluster.settle();
    expect(await isGone(CLUSTER_ROLES, 'odd', {})).toBe(false);
  });

  it('treats an owner in another namespace as missing', async () => {
    start();
    await admin.create(NAMESPACES, { metadata: { name: 'elsewhere' } });
    const there = await admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'there', namespace: 'elsewhere' } });
    await make('child', [owner(SERVICE_ACCOUNTS, there)]);
    await cluster.until(() => isGone(CONFIG_MAPS, 'child'));
  });

  it('collects dependents of an unserved kind only when it is served', async () => {
    start();
    const uid = '00000000-0000-4000-8000-000000000000';
    await make('child', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid }]);
    await cluster.clock.advance(120_000);
    expect(await isGone(CONFIG_MAPS, 'child')).toBe(false);
    await define();
    await cluster.until(async () => {
      await cluster.clock.advance(100);
      return await isGone(CONFIG_MAPS, 'child');
    });
  });

  it('follows custom resources whose CRDs are created and deleted', async () => {
    start();
    await define();
    const widget = await cluster.until(async () => {
      await cluster.clock.advance(100);
      const made = { metadata: { name: 'w', namespace } };
      return await admin
        .create(WIDGETS, made)
        .catch((error) => (isNotFound(error) ? undefined : Promise.reject(error)));
    });
    await make('child', [owner(WIDGETS, widget)]);
    const other = await admin.create(WIDGETS, { metadata: { name: 'x', namespace } });
    await make('other', [owner(WIDGETS, other)]);
    await cluster.settle();
    await admin.delete(WIDGETS, 'w', { namespace });
    await cluster.until(() => isGone(CONFIG_MAPS, 'child'));
    await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, 'widgets.example.com');
    await cluster.until(() => isGone(CONFIG_MAPS, 'other'));
  });

  it('collects dependents of an owner whose deletion it saw, although its kind is no longer served', async () => {
    const gate = Promise.withResolvers<void>();
    let requested = false;
    // The dependent is processed only after the kind of its owner is gone.
    start((client) => ({
      ...client,
      get: async (...args) => {
        requested = true;
        await gate.promise;
        return await client.get(...args);
      },
    }));
    await define();
    const widget = await cluster.until(async () => {
      await cluster.clock.advance(100);
      return await admin.create(WIDGETS, { metadata: { name: 'w', namespace } }).catch(() => undefined);
    });
    await cluster.settle();
    await make('child', [owner(WIDGETS, widget)]);
    await cluster.settle();
    await admin.delete(CUSTOM_RESOURCE_DEFINITIONS, 'widgets.example.com');
    await cluster.until(() => isGone(CUSTOM_RESOURCE_DEFINITIONS, 'widgets.example.com', {}));
    await cluster.until(() => requested);
    await cluster.clock.advance(1000);
    gate.resolve();
    await cluster.until(() => isGone(CONFIG_MAPS, 'child'));
  });

  it('is idle while nothing changes', async () => {
    start();
    await make('child', [owner(CONFIG_MAPS, await make('root'))]);
    await cluster.settle();
    const before = (await read('child')).metadata.resourceVersion;
    await cluster.clock.advance(3_600_000);
    expect((await read('child')).metadata.resourceVersion).toBe(before);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });
});

async function define(): Promise<void> {
  await admin.create(CUSTOM_RESOURCE_DEFINITIONS, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
}
