import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { REPLICA_SETS } from '#platform/kube/kinds/workloads';
import { KubeError } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { disruptionController } from './controller.ts';
import { budgetStatus, demandOf } from './plan.ts';

const NOW = Date.parse('2030-01-01T00:10:00Z');

function pod(name: string, ready: boolean, more: object = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...more },
    spec: { containers: [] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}
const budget = (more: object = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', generation: 3 },
  ...more,
});

describe('what a budget demands', () => {
  it.each([
    ['a number that must be there', { minAvailable: 2 }, 5, 9, { expectedPods: 5, desiredHealthy: 2 }],
    ['a part that must be there, rounded up', { minAvailable: '50%' }, 5, 9, { expectedPods: 9, desiredHealthy: 5 }],
    ['a number that may be missing', { maxUnavailable: 2 }, 5, 9, { expectedPods: 9, desiredHealthy: 7 }],
    ['a part that may be missing, rounded up', { maxUnavailable: '30%' }, 5, 9, { expectedPods: 9, desiredHealthy: 6 }],
    ['more missing than there are', { maxUnavailable: 10 }, 5, 3, { expectedPods: 3, desiredHealthy: 0 }],
    ['all that may be missing', { maxUnavailable: '100%' }, 5, 4, { expectedPods: 4, desiredHealthy: 0 }],
    ['nothing', {}, 5, 0, { expectedPods: 5, desiredHealthy: 0 }],
  ])('is %s', (_what, spec, pods, scale, demand) => {
    expect(demandOf(spec, pods, scale)).toEqual(demand);
  });
});

describe('the status of a budget', () => {
  it.each([
    ['spare pods', [true, true, true], 2, 3, 1],
    ['pods that are not ready', [true, true, false], 2, 3, 0],
    ['too few pods', [true], 2, 3, 0],
    ['no pods expected', [true], 0, 0, 0],
  ])('with %s', (_what, ready, desiredHealthy, expectedPods, allowed) => {
    const pods = ready.map((each, i) => pod(`p${i}`, each));
    const { status, againMs } = budgetStatus(budget(), pods, { expectedPods, desiredHealthy }, NOW);
    expect(status).toMatchObject({
      disruptionsAllowed: allowed,
      currentHealthy: ready.filter(Boolean).length,
      observedGeneration: 3,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: allowed > 0 ? 'True' : 'False',
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
          lastTransitionTime: '2030-01-01T00:10:00Z',
        },
      ],
    });
    expect(againMs).toBeUndefined();
  });

  it('counts out pods that are going or whose eviction was granted, and forgets what did not come of it', () => {
    const pods = [
      pod('going', true, { deletionTimestamp: '2030-01-01T00:09:00Z' }),
      pod('granted', true),
      pod('stuck', true),
      pod('fine', true),
    ];
    const disruptedPods = {
      going: '2030-01-01T00:09:30Z',
      granted: '2030-01-01T00:09:00Z',
      stuck: '2030-01-01T00:07:59Z',
      gone: '2030-01-01T00:09:59Z',
    };
    const before = { disruptedPods, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    const { status, againMs } = budgetStatus(
      budget({ status: before }),
      pods,
      { expectedPods: 4, desiredHealthy: 1 },
      NOW,
    );
    expect(status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(status.disruptedPods).toEqual({ granted: '2030-01-01T00:09:00Z' });
    expect(againMs).toBe(60_000);
  });
});

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  const parts = controllerDeps(cluster, 'disruption-controller');
  const catalog = new DiscoveryCache(parts);
  cluster.run(manager('test', [parts.informers, catalog, runnable(disruptionController(catalog), parts)]));
});
afterEach(() => cluster.stop());

const namespace = 'default';
const labels = { app: 'web' };
const container = { name: 'main', image: 'registry.example.com/app:1' };

async function makePod(name: string, ownerReferences: object[] = []): Promise<void> {
  await admin.create(PODS, {
    metadata: { name, namespace, labels, ownerReferences } as never,
    spec: { containers: [container] },
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await admin.patch(PODS, name, { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
}
async function makeBudget(spec: object): Promise<void> {
  await admin.create(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'b', namespace },
    spec: { selector: { matchLabels: labels }, ...spec },
  });
}
const status = async () => (await admin.get(POD_DISRUPTION_BUDGETS, 'b', { namespace })).status;
const evict = (name: string) => admin.act(PODS, name, 'eviction', { metadata: { name, namespace } }, { namespace });

describe('the disruption controller', () => {
  it('lets pods be evicted one by one, as the budget allows', async () => {
    await makeBudget({ minAvailable: 2 });
    for (const name of ['a', 'b', 'c']) await makePod(name);
    await cluster.until(async () => (await status())?.disruptionsAllowed === 1);
    await evict('a');
    await expect(evict('b')).rejects.toThrow(KubeError);
    await admin.delete(PODS, 'a', { namespace, gracePeriodSeconds: 0 }).catch(() => {});
    await makePod('d');
    await cluster.until(async () => (await status())?.disruptionsAllowed === 1);
    await evict('b');
  });

  it('counts by what the controller of the pods is to keep', async () => {
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const spec = { replicas: 4, selector: { matchLabels: labels }, template };
    const { metadata } = await admin.create(REPLICA_SETS, { metadata: { name: 'web', namespace }, spec });
    const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: metadata.uid, controller: true };
    await makeBudget({ maxUnavailable: '50%' });
    for (const name of ['a', 'b', 'c']) await makePod(name, [ref]);
    await cluster.until(async () => (await status())?.currentHealthy === 3);
    expect(await status()).toMatchObject({ expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 1 });
  });

  it('allows nothing where the controller of a pod cannot be found', async () => {
    await makeBudget({ maxUnavailable: 1 });
    const uid = '00000000-0000-4000-8000-000000000000';
    await makePod('a', [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'none', uid, controller: true }]);
    await cluster.until(async () => (await status())?.conditions?.[0]?.reason === 'SyncFailed');
    expect((await status())?.conditions?.[0]?.message).toBe('found no controllers for pod "a"');
  });
});
