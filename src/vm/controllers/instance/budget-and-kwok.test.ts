import { describe, expect, it } from 'vitest';
import { VMIS } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { instanceHarness, namespace } from './harness.fixture.ts';

const harness = instanceHarness();
const MINUTE = 60_000;

describe('the disruption budget of an instance', () => {
  const budgets = async () => (await harness.admin.list(POD_DISRUPTION_BUDGETS, { namespace })).items;

  it('exists while an instance runs that is migrated on eviction', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    await harness.running({ evictionStrategy: 'LiveMigrate' });
    const [budget] = await harness.cluster.until(async () =>
      (await budgets()).length > 0 ? await budgets() : undefined,
    );
    expect(budget?.metadata.name).toMatch(/^kubevirt-disruption-budget-[a-z0-9]{5}$/);
    expect(budget?.spec?.minAvailable).toBe(1);
    await harness.cluster.vmiStatus('web', { migrationState: { migrationUid: 'm', targetPod: 'target' } });
    await harness.cluster.until(async () => (await budgets())[0]?.spec?.minAvailable === 2);
    await harness.cluster.vmiStatus('web', { migrationState: { completed: true } });
    await harness.cluster.until(async () => (await budgets())[0]?.spec?.minAvailable === 1);
    await harness.cluster.vmiStatus('web', { phase: 'Succeeded' });
    await harness.cluster.until(async () => (await budgets()).length === 0);
  });

  it('does not exist for others', async () => {
    harness.start();
    await harness.cluster.makeNode('n1');
    await harness.running({ evictionStrategy: 'None' });
    await harness.cluster.clock.advance(MINUTE);
    expect(await budgets()).toEqual([]);
  });
});

describe('a KWOK node', () => {
  const kwok = { annotations: { 'kwok.x-k8s.io/node': 'fake' } };

  it('has no node agent: the operator writes what one would', async () => {
    harness.start();
    await harness.cluster.makeNode('k1', kwok);
    const identity = JSON.stringify({ default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' } });
    await harness.make('web', {}, { annotations: { 'vimana.io/identity': identity } });
    const pod = await harness.onlyPod();
    await harness.cluster.bind(pod, 'k1');
    await harness.cluster.podStatus(pod, { phase: 'Running', podIP: '10.0.0.1' });
    await harness.cluster.until(async () => (await harness.status())?.phase === 'Running');
    expect(await harness.status()).toMatchObject({
      nodeName: 'k1',
      activePods: { [pod.metadata.uid ?? '']: 'k1' },
      interfaces: [{ name: 'default', mac: '02:00:00:00:00:01', ipAddress: '10.244.0.9' }],
    });
    expect(await harness.condition('Ready')).toMatchObject({ status: 'True' });
    await harness.admin.delete(VMIS, 'web', { namespace });
    await harness.cluster.until(
      async () => (await harness.cluster.pods())[0]?.metadata.deletionTimestamp !== undefined,
    );
    await harness.admin.delete(PODS, pod.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
    await harness.cluster.until(() => harness.isGone());
  });

  it('is left to its node agent if it names its runtime', async () => {
    harness.start();
    await harness.cluster.makeNode('s1', { ...kwok, labels: { 'vimana.io/runtime': 'simulated' } });
    await harness.make('web');
    const pod = await harness.onlyPod();
    await harness.cluster.bind(pod, 's1');
    await harness.cluster.podStatus(pod, { phase: 'Running' });
    await harness.cluster.clock.advance(MINUTE);
    expect((await harness.status())?.phase).not.toBe('Running');
  });
});
