import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, ResourceType } from '#platform/kube/client';
import { CONFIG_MAPS, NAMESPACES } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { RESOURCE_QUOTAS } from '#platform/kube/kinds/resource-quota';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '#platform/kube/kinds/storage';
import { DEPLOYMENTS, REPLICA_SETS } from '#platform/kube/kinds/workloads';
import type { KubeObject } from '#platform/kube/kube-object';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { kubernetesControllers } from './kubernetes-controllers.ts';

/** Number of timers of the API server itself. */
let idleTimers = 0;
beforeEach(async () => {
  const bare = await startCluster();
  await bare.settle();
  idleTimers = bare.clock.pending;
  await bare.stop();
});

let cluster: Cluster;
let admin: Client;
let end: () => Promise<void>;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  end = cluster.run(manager('all', kubernetesControllers({ ...cluster, caPem: 'PEM' })));
});
afterEach(() => cluster.stop());

const namespace = 'apps';
const labels = { app: 'web' };
const matchLabels = labels;
const complaints = () => cluster.log.entries.filter(({ level }) => level === 'warn' || level === 'error');
const count = async (type: ResourceType) => (await admin.list(type, { namespace })).items.length;

async function deploy(): Promise<void> {
  await admin.create(NAMESPACES, { metadata: { name: namespace } });
  await cluster.until(async () => (await count(CONFIG_MAPS)) === 1);
  await admin.create(RESOURCE_QUOTAS, { metadata: { name: 'q', namespace }, spec: { hard: { pods: '10' } } });
  await admin.create(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'b', namespace },
    spec: { maxUnavailable: 1, selector: { matchLabels } },
  });
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example.com/app:1' }] } };
  const spec = { replicas: 3, selector: { matchLabels }, template };
  await admin.create(DEPLOYMENTS, { metadata: { name: 'web', namespace }, spec });
  await cluster.until(async () => (await count(PODS)) === 3);
}

describe('the controllers of Kubernetes', () => {
  it('work together, each with the permissions of its own role', async () => {
    await deploy();
    const modes = { accessModes: ['ReadWriteOnce'], storageClassName: 'x' };
    const volume = { ...modes, capacity: { storage: '1Gi' }, hostPath: { path: '/x' } };
    await admin.create(PERSISTENT_VOLUMES, { metadata: { name: 'v' }, spec: volume });
    const claim = { ...modes, resources: { requests: { storage: '1Gi' } } };
    await admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'c', namespace }, spec: claim });
    await admin.create(NODES, { metadata: { name: 'n' } });
    await cluster.until(async () => {
      const quota = await admin.get(RESOURCE_QUOTAS, 'q', { namespace });
      const budget = await admin.get(POD_DISRUPTION_BUDGETS, 'b', { namespace });
      const bound = await admin.get(PERSISTENT_VOLUME_CLAIMS, 'c', { namespace });
      const settled = quota.status?.used?.['pods'] === '3' && budget.status?.expectedPods === 3;
      return settled && bound.status?.phase === 'Bound';
    });
    await cluster.clock.advance(60_000);
    const taints = (await admin.get(NODES, 'n')).spec?.taints ?? [];
    expect(taints.map(({ key }) => key)).toContain('node.kubernetes.io/unreachable');
    await admin.delete(PERSISTENT_VOLUME_CLAIMS, 'c', { namespace });
    await admin.delete(DEPLOYMENTS, 'web', { namespace, propagationPolicy: 'Foreground' });
    // The collector may conflict with other writers of the same objects, and retries.
    await cluster.clock.advance(1000);
    await cluster.until(async () => (await count(DEPLOYMENTS)) === 0);
    expect(await count(REPLICA_SETS)).toBe(0);
    expect(complaints()).toEqual([]);
  });

  it('keep pods if their owner is deleted with the policy Orphan', async () => {
    await deploy();
    await admin.delete(DEPLOYMENTS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await cluster.until(async () => (await count(DEPLOYMENTS)) === 0);
    await cluster.settle();
    expect([await count(REPLICA_SETS), await count(PODS)]).toEqual([1, 3]);
  });

  it('write nothing while nothing happens', async () => {
    await deploy();
    await cluster.clock.advance(60_000);
    const versions = async () =>
      (
        await Promise.all(
          [PODS, DEPLOYMENTS, REPLICA_SETS, RESOURCE_QUOTAS, NAMESPACES].map((type) => admin.list<KubeObject>(type)),
        )
      ).flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion));
    const before = await versions();
    await cluster.clock.advance(5 * 60_000);
    expect(await versions()).toEqual(before);
    expect(complaints()).toEqual([]);
  });

  it('stop without leaving a timer behind', async () => {
    await deploy();
    await end();
    await cluster.settle();
    expect(cluster.clock.pending).toBeLessThanOrEqual(idleTimers);
  });
});
