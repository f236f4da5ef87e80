import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { RESOURCE_QUOTAS } from '#platform/kube/kinds/resource-quota';
import { runnable } from '#platform/runtime/controller';
import { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { resourceQuotaController } from './controller.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  const parts = controllerDeps(cluster, 'resourcequota-controller');
  const catalog = new DiscoveryCache(parts);
  cluster.run(manager('test', [parts.informers, catalog, runnable(resourceQuotaController(catalog), parts)]));
});
afterEach(() => cluster.stop());

const namespace = 'default';
const makePod = (name: string, cpu: string) =>
  admin.create(PODS, {
    metadata: { name, namespace },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1', resources: { requests: { cpu } } }] },
  });
const used = async () => (await admin.get(RESOURCE_QUOTAS, 'q', { namespace })).status?.used;

describe('the resource quota controller', () => {
  it('counts existing objects, and follows their changes', async () => {
    await cluster.settle();
    await makePod('a', '500m');
    const hard = { pods: '10', 'requests.cpu': '4', 'count/configmaps': '3' };
    await admin.create(RESOURCE_QUOTAS, { metadata: { name: 'q', namespace }, spec: { hard } });
    await cluster.until(async () => (await used())?.['pods'] === '1');
    expect((await admin.get(RESOURCE_QUOTAS, 'q', { namespace })).status).toEqual({
      hard,
      used: { pods: '1', 'requests.cpu': '500m', 'count/configmaps': '0' },
    });
    await makePod('b', '1');
    await admin.create(CONFIG_MAPS, { metadata: { name: 'c', namespace } });
    await cluster.until(async () => (await used())?.['requests.cpu'] === '1500m');
    await cluster.until(async () => (await used())?.['count/configmaps'] === '1');
    await admin.patch(
      PODS,
      'a',
      { type: 'merge', body: { status: { phase: 'Succeeded' } } },
      { namespace, subresource: 'status' },
    );
    await cluster.until(async () => (await used())?.['requests.cpu'] === '1');
    await admin.delete(PODS, 'b', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(async () => (await used())?.['pods'] === '0');
  });

  it('keeps what was charged for objects that are not in the cache yet', async () => {
    await cluster.settle();
    await admin.create(RESOURCE_QUOTAS, { metadata: { name: 'q', namespace }, spec: { hard: { pods: '2' } } });
    await cluster.until(async () => (await used())?.['pods'] === '0');
    // Admission charges a pod in this way before it is stored.
    const charge = { type: 'merge', body: { status: { used: { pods: '1' } } } } as const;
    await admin.patch(RESOURCE_QUOTAS, 'q', charge, { namespace, subresource: 'status' });
    await cluster.settle();
    expect(await used()).toEqual({ pods: '1' });
    // The next count drops a charge for an object that was never created.
    await cluster.clock.advance(5 * 60_000);
    await cluster.until(async () => (await used())?.['pods'] === '0');
  });

  it('admits exactly as many concurrent objects as the quota allows', async () => {
    await cluster.settle();
    await admin.create(RESOURCE_QUOTAS, { metadata: { name: 'q', namespace }, spec: { hard: { pods: '2' } } });
    await cluster.until(async () => (await used())?.['pods'] === '0');
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => makePod(name, '1')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('copies a changed limit to the status', async () => {
    await cluster.settle();
    await admin.create(RESOURCE_QUOTAS, { metadata: { name: 'q', namespace }, spec: { hard: { pods: '10' } } });
    await cluster.until(async () => (await used())?.['pods'] === '0');
    const body = { spec: { hard: { pods: '1', replicationcontrollers: '2' } } };
    await admin.patch(RESOURCE_QUOTAS, 'q', { type: 'merge', body }, { namespace });
    await cluster.until(async () => (await used())?.['replicationcontrollers'] === '0');
  });
});
