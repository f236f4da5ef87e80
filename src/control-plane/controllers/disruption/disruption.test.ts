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

describe('the number of pods that a budget requires', () => {
  it.each([
    ['minAvailable as a number', { minAvailable: 2 }, 5, 9, { expectedPods: 5, desiredHealthy: 2 }],
    ['minAvailable as a percentage, rounded up', { minAvailable: '50%' }, 5, 9, { expectedPods: 9, desiredHealthy: 5 }],
    ['the expected pods minus maxUnavailable', { maxUnavailable: 2 }, 5, 9, { expectedPods: 9, desiredHealthy: 7 }],
    [
      'the expected pods minus a percentage, rounded up',
      { maxUnavailable: '30%' },
      5,
      9,
      { expectedPods: 9, desiredHealthy: 6 },
    ],
    [
      'zero if maxUnavailable exceeds the expected pods',
      { maxUnavailable: 10 },
      5,
      3,
      { expectedPods: 3, desiredHealthy: 0 },
    ],
    ['zero if all pods may be unavailable', { maxUnavailable: '100%' }, 5, 4, { expectedPods: 4, desiredHealthy: 0 }],
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

  it('does not count terminating or evicted pods, and drops evictions that did not happen', () => {
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
function makeReplicaSet(replicas: number) {
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return admin.create(REPLICA_SETS, { metadata: { name: 'web', namespace }, spec });
}
const ownerReference = (name: string, uid: string | undefined) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name,
  uid,
  controller: true,
});
async function makeBudget(spec: object): Promise<void> {
  await admin.create(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'b', namespace },
    spec: { selector: { matchLabels: labels }, ...spec },
  });
}
const status = async () => (await admin.get(POD_DISRUPTION_BUDGETS, 'b', { namespace })).status;
const evict = (name: string) => admin.act(PODS, name, 'eviction', { metadata: { name, namespace } }, { namespace });

describe('the disruption controller', () => {
  it('allows evictions one by one, within the budget', async () => {
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

  it('uses the desired replicas of the controller of the pods', async () => {
    const { metadata } = await makeReplicaSet(4);
    await makeBudget({ maxUnavailable: '50%' });
    for (const name of ['a', 'b', 'c']) await makePod(name, [ownerReference('web', metadata.uid)]);
    await cluster.until(async () => (await status())?.currentHealthy === 3);
    expect(await status()).toMatchObject({ expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 1 });
  });

  it('allows no disruption if the controller of a pod cannot be found', async () => {
    const { metadata } = await makeReplicaSet(1);
    await makeBudget({ maxUnavailable: 1 });
    await makePod('a', [ownerReference('web', metadata.uid)]);
    await cluster.until(async () => (await status())?.disruptionsAllowed === 1);
    await makePod('b', [ownerReference('none', '00000000-0000-4000-8000-000000000000')]);
    await cluster.until(async () => (await status())?.conditions?.[0]?.reason === 'SyncFailed');
    expect((await status())?.conditions?.[0]?.message).toBe('found no controllers for pod "b"');
    expect((await status())?.disruptionsAllowed).toBe(0);
    await expect(evict('a')).rejects.toThrow(KubeError);
  });
});
