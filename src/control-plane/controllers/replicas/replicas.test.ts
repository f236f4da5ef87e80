import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { REPLICA_SETS, REPLICATION_CONTROLLERS } from '#platform/kube/kinds/workloads';
import { KubeError } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps, runController } from '#testing/controller-deps';
import { replicaSetController, replicationManager } from './controller.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
});
afterEach(() => cluster.stop());

const namespace = 'default';
const labels = { app: 'web' };
const spec = { containers: [{ name: 'main', image: 'registry.example.com/app:1' }] };
const template = { metadata: { labels }, spec };
const makeSet = (replicas: number) =>
  admin.create(REPLICA_SETS, {
    metadata: { name: 'web', namespace },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
const scale = (replicas: number) =>
  admin.patch(REPLICA_SETS, 'web', { type: 'merge', body: { spec: { replicas } } }, { namespace });
const pods = async () => (await admin.list(PODS, { namespace })).items;
const count = async () => (await pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
const status = async () => (await admin.get(REPLICA_SETS, 'web', { namespace })).status;
const makeReady = async (name: string) => {
  const lastTransitionTime = timestamp(cluster.clock.now());
  const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] } };
  await admin.patch(PODS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
};

describe('a replica set', () => {
  it('keeps its number of pods', async () => {
    runController(cluster, 'replicaset-controller', replicaSetController());
    await makeSet(3);
    await cluster.until(async () => (await count()) === 3);
    const [first] = await pods();
    expect(first?.metadata).toMatchObject({ labels, generateName: 'web-' });
    expect(first?.metadata.ownerReferences).toMatchObject([
      { kind: 'ReplicaSet', controller: true, blockOwnerDeletion: true },
    ]);
    await cluster.until(async () => (await status())?.replicas === 3);
    await admin.delete(PODS, first?.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(async () => (await count()) === 3);
    await scale(7);
    await cluster.until(async () => (await count()) === 7);
    await scale(1);
    await cluster.until(async () => (await count()) === 1);
    await cluster.settle();
    expect(await count()).toBe(1);
  });

  it('creates no more pods than desired while its cache does not show them yet', async () => {
    const parts = controllerDeps(cluster, 'replicaset-controller');
    const shown = Promise.withResolvers<void>();
    let created = 0;
    const client: Client = {
      ...parts.client,
      create: async (...args) => {
        created++;
        return await parts.client.create(...args);
      },
      async *watch(type, options) {
        for await (const event of parts.client.watch(type, options)) {
          if (type.plural === PODS.plural) await shown.promise;
          yield event;
        }
      },
    };
    const informers = new Informers({ ...cluster, client });
    cluster.run(manager('test', [informers, runnable(replicaSetController(), { ...parts, client, informers })]));
    await cluster.settle();
    await makeSet(40);
    for (let i = 0; i < 30; i++) {
      const body = { metadata: { labels: { touch: `${i}` } } };
      await admin.patch(REPLICA_SETS, 'web', { type: 'merge', body }, { namespace });
      await cluster.clock.advance(1000);
    }
    expect(created).toBe(40);
    expect((await status())?.replicas ?? 0).toBe(0);
    shown.resolve();
    await cluster.until(async () => (await status())?.replicas === 40);
    expect(created).toBe(40);
  });

  it('replaces finished pods, and counts those that are ready and available', async () => {
    runController(cluster, 'replicaset-controller', replicaSetController());
    await admin.create(REPLICA_SETS, {
      metadata: { name: 'web', namespace },
      spec: { replicas: 2, minReadySeconds: 30, selector: { matchLabels: labels }, template },
    });
    await cluster.until(async () => (await count()) === 2);
    for (const { metadata } of await pods()) await makeReady(metadata.name ?? '');
    await cluster.until(async () => (await status())?.readyReplicas === 2);
    expect((await status())?.availableReplicas ?? 0).toBe(0);
    await cluster.clock.advance(31_000);
    await cluster.until(async () => (await status())?.availableReplicas === 2);
    const [first] = await pods();
    await admin.patch(
      PODS,
      first?.metadata.name ?? '',
      { type: 'merge', body: { status: { phase: 'Failed' } } },
      { namespace, subresource: 'status' },
    );
    await cluster.until(async () => (await pods()).length === 3);
  });

  it('adopts matching pods without an owner, and releases those that no longer match', async () => {
    runController(cluster, 'replicaset-controller', replicaSetController());
    const { metadata } = await admin.create(PODS, { metadata: { name: 'free', namespace, labels }, spec });
    await makeSet(1);
    const owners = async () => (await admin.get(PODS, 'free', { namespace })).metadata.ownerReferences ?? [];
    await cluster.until(async () => (await owners()).length === 1);
    await cluster.settle();
    expect((await pods()).map((each) => each.metadata.uid)).toEqual([metadata.uid]);
    await admin.patch(PODS, 'free', { type: 'merge', body: { metadata: { labels: { app: 'db' } } } }, { namespace });
    await cluster.until(async () => (await owners()).length === 0);
    await cluster.until(async () => (await count()) === 2);
  });

  it('reports why it cannot create pods, and creates them as soon as it can', async () => {
    const parts = controllerDeps(cluster, 'replicaset-controller');
    let full = true;
    const client: Client = {
      ...parts.client,
      create: (...args) =>
        full ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota')) : parts.client.create(...args),
    };
    cluster.run(manager('test', [parts.informers, runnable(replicaSetController(), { ...parts, client })]));
    await makeSet(2);
    await cluster.until(async () => (await status())?.conditions?.[0]?.message === 'exceeded quota');
    full = false;
    await cluster.clock.advance(10_000);
    await cluster.until(async () => (await count()) === 2);
    await cluster.until(async () => (await status())?.conditions === undefined);
  });
});

describe('a replication controller', () => {
  it('keeps its number of pods', async () => {
    runController(cluster, 'replication-controller', replicationManager());
    await admin.create(REPLICATION_CONTROLLERS, {
      metadata: { name: 'web', namespace },
      spec: { replicas: 2, selector: labels, template },
    });
    await cluster.until(async () => (await count()) === 2);
    await cluster.until(async () => {
      const { status } = await admin.get(REPLICATION_CONTROLLERS, 'web', { namespace });
      return status?.replicas === 2;
    });
    expect((await pods())[0]?.metadata.ownerReferences?.[0]?.kind).toBe('ReplicationController');
  });
});
