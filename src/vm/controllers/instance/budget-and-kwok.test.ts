import { describe, expect, it } from 'vitest';
import { VMIS } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { instanceHarness, namespace } from './harness.fixture.ts';

const world = instanceHarness();
const MINUTE = 60_000;

describe('the disruption budget of an instance', () => {
  const budgets = async () => (await world.admin.list(POD_DISRUPTION_BUDGETS, { namespace })).items;

  it('exists while an instance runs that is migrated on eviction', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    await world.running({ evictionStrategy: 'LiveMigrate' });
    const [budget] = await world.cluster.until(async () =>
      (await budgets()).length > 0 ? await budgets() : undefined,
    );
    expect(budget?.metadata.name).toMatch(/^kubevirt-disruption-budget-[a-z0-9]{5}$/);
    expect(budget?.spec?.minAvailable).toBe(1);
    await world.cluster.vmiStatus('web', { migrationState: { migrationUid: 'm', targetPod: 'target' } });
    await world.cluster.until(async () => (await budgets())[0]?.spec?.minAvailable === 2);
    await world.cluster.vmiStatus('web', { migrationState: { completed: true } });
    await world.cluster.until(async () => (await budgets())[0]?.spec?.minAvailable === 1);
    await world.cluster.vmiStatus('web', { phase: 'Succeeded' });
    await world.cluster.until(async () => (await budgets()).length === 0);
  });

  it('does not exist for others', async () => {
    world.start();
    await world.cluster.makeNode('n1');
    await world.running({ evictionStrategy: 'None' });
    await world.cluster.clock.advance(MINUTE);
    expect(await budgets()).toEqual([]);
  });
});

describe('a KWOK node', () => {
  const kwok = { annotations: { 'kwok.x-k8s.io/node': 'fake' } };

  it('has no node agent: the operator writes what one would', async () => {
    world.start();
    await world.cluster.makeNode('k1', kwok);
    const identity = JSON.stringify({ default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' } });
    await world.make('web', {}, { annotations: { 'vimana.io/identity': identity } });
    const pod = await world.onlyPod();
    await world.cluster.bind(pod, 'k1');
    await world.cluster.podStatus(pod, { phase: 'Running', podIP: '10.0.0.1' });
    await world.cluster.until(async () => (await world.status())?.phase === 'Running');
    expect(await world.status()).toMatchObject({
      nodeName: 'k1',
      activePods: { [pod.metadata.uid ?? '']: 'k1' },
      interfaces: [{ name: 'default', mac: '02:00:00:00:00:01', ipAddress: '10.244.0.9' }],
    });
    expect(await world.condition('Ready')).toMatchObject({ status: 'True' });
    await world.admin.delete(VMIS, 'web', { namespace });
    await world.cluster.until(async () => (await world.cluster.pods())[0]?.metadata.deletionTimestamp !== undefined);
    await world.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await world.cluster.until(() => world.isGone());
  });

  it('is left to its node agent if it names its runtime', async () => {
    world.start();
    await world.cluster.makeNode('s1', { ...kwok, labels: { 'vimana.io/runtime': 'simulated' } });
    await world.make('web');
    const pod = await world.onlyPod();
    await world.cluster.bind(pod, 's1');
    await world.cluster.podStatus(pod, { phase: 'Running' });
    await world.cluster.clock.advance(MINUTE);
    expect((await world.status())?.phase).not.toBe('Running');
  });
});
