import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FREEZE_ANNOTATION } from '#api/launcher';
import type { ExtensionRequest } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness } from '#testing/fleet-harness';
import { runNodeLifecycle } from '#testing/kubernetes-controllers';

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
});
afterEach(() => cluster.stop());

const namespace = 'kube-node-lease';
const names = async () => (await admin.list(NODES)).items.map(({ metadata }) => metadata.name ?? '').toSorted();
const leases = async () => (await admin.list(LEASES, { namespace })).items.map(({ metadata }) => metadata.name).length;
const ready = async (name: string) => conditionOf((await admin.get(NODES, name)).status?.conditions, 'Ready')?.status;

describe('a fleet', () => {
  it('registers its nodes as in seed 001, each with a lease', async () => {
    runNodeLifecycle(cluster);
    harness.start({ pools: [{ count: 2 }] });
    await cluster.until(async () => (await leases()) === 2);
    await cluster.until(async () => ((await admin.get(NODES, 'kwok-node-2')).spec?.taints ?? []).length === 0);
    const node = await admin.get(NODES, 'kwok-node-2');
    expect(node.metadata.labels).toEqual({
      type: 'kwok',
      'kubernetes.io/hostname': 'kwok-node-2',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'node.kubernetes.io/instance-type': 'simulated',
      'topology.kubernetes.io/zone': 'zone-1',
      'kubevirt.io/schedulable': 'true',
      'vimana.io/runtime': 'simulated',
    });
    expect(node.metadata.annotations).toEqual({ 'kwok.x-k8s.io/node': 'fake' });
    expect(node.status).toMatchObject({
      capacity: { cpu: '32', memory: '128Gi', pods: '110' },
      allocatable: { cpu: '32', memory: '128Gi', pods: '110' },
      addresses: [
        { type: 'InternalIP', address: '10.246.0.2' },
        { type: 'Hostname', address: 'kwok-node-2' },
      ],
    });
    expect(await ready('kwok-node-2')).toBe('True');
    const lease = await admin.get(LEASES, 'kwok-node-2', { namespace });
    expect(lease.spec).toMatchObject({ holderIdentity: 'kwok-node-2', leaseDurationSeconds: 40 });
    expect(lease.metadata.ownerReferences).toMatchObject([{ kind: 'Node', uid: node.metadata.uid }]);
  });

  it('reports its nodes as kubelets do', async () => {
    harness.start({ pools: [{ count: 1 }] });
    await cluster.until(async () => (await leases()) === 1);
    expect(harness.toldOfNodes).toEqual(['kwok-node-1 Normal Starting', 'kwok-node-1 Normal NodeReady']);
    const unwell = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    await admin.patch(NODES, 'kwok-node-1', { type: 'strategic', body: unwell }, { subresource: 'status' });
    await cluster.until(async () => (await ready('kwok-node-1')) === 'True');
    expect(harness.toldOfNodes.slice(2)).toEqual(['kwok-node-1 Normal NodeReady']);
  });

  it('has nodes of several kinds', async () => {
    const taint = { key: 'example.com/gpu', value: 'yes', effect: 'NoSchedule' };
    harness.start({
      pools: [
        { count: 3, zones: ['a', 'b'] },
        {
          name: 'gpu',
          count: 1,
          prefix: 'gpu-',
          labels: { 'example.com/gpu': 'yes' },
          taints: [taint],
          size: { cpu: '64', memory: '256Gi', pods: '250' },
          resources: { 'nvidia.com/gpu': '8' },
        },
      ],
    });
    await cluster.until(async () => (await names()).length === 4);
    const zone = async (name: string) =>
      (await admin.get(NODES, name)).metadata.labels?.['topology.kubernetes.io/zone'];
    expect([await zone('kwok-node-1'), await zone('kwok-node-2'), await zone('kwok-node-3')]).toEqual(['a', 'b', 'a']);
    const gpu = await admin.get(NODES, 'gpu-1');
    expect(gpu.spec?.taints).toContainEqual(taint);
    expect(gpu.status?.allocatable).toEqual({ cpu: '64', memory: '256Gi', pods: '250', 'nvidia.com/gpu': '8' });
    expect(gpu.metadata.labels?.['example.com/gpu']).toBe('yes');
  });

  it('stays ready with one write per node every 20 s', async () => {
    runNodeLifecycle(cluster);
    harness.start({ pools: [{ count: 5 }] });
    await cluster.until(async () => (await leases()) === 5);
    await cluster.settle();
    harness.writes.length = 0;
    await cluster.clock.advance(200_000);
    expect(harness.writes).toHaveLength(50);
    expect(harness.writes.every((write) => write.startsWith('patch leases'))).toBe(true);
    expect(await ready('kwok-node-5')).toBe('True');
  });

  it('waits with few timers, however many nodes and pods it has', async () => {
    harness.start({ pools: [{ count: 60 }] });
    await cluster.until(async () => (await leases()) === 60);
    for (let i = 0; i < 20; i++) await harness.makePod(`p${i}`);
    await harness.untilPod('p19', ({ status }) => status?.phase === 'Running');
    await cluster.clock.advance(100);
    expect(cluster.clock.pending).toBeLessThan(10);
  });

  it('renews no leases in simulated time, and still runs what is bound to it', async () => {
    harness.start({ renewLeases: false });
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, 'kwok-node-1');
    await harness.untilPhase('m', 'Running');
    await cluster.clock.advance(3_600_000);
    expect(await leases()).toBe(0);
    expect((await harness.instance('m')).status?.phase).toBe('Running');
  });

  it('ends the machines of a frozen node in simulated time as the lapse of a lease would', async () => {
    const { fleet } = harness.start({ renewLeases: false });
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, 'kwok-node-1');
    await harness.untilPhase('m', 'Running');
    const running = async () =>
      (await fleet.simulation.driver('kwok-node-1').list()).filter(({ state }) => state === 'running').length;
    const freeze = (value: string | null) =>
      admin.patch(NODES, 'kwok-node-1', {
        type: 'merge',
        body: { metadata: { annotations: { [FREEZE_ANNOTATION]: value } } },
      });
    await freeze('true');
    await cluster.clock.advance(29_000);
    expect(await running()).toBe(1);
    await cluster.clock.advance(2_000);
    expect(await running()).toBe(0);
    await freeze(null);
    await harness.untilPhase('m', 'Failed');
  });

  it('adopts existing nodes, and keeps the fields of other clients', async () => {
    await admin.create(NODES, {
      metadata: { name: 'kwok-node-1', labels: { mine: 'yes', type: 'special' } },
      status: { capacity: { 'example.com/widget': '3' }, allocatable: { 'example.com/widget': '2' } },
    });
    harness.start({ pools: [{ count: 1 }] });
    await cluster.until(async () => (await ready('kwok-node-1')) === 'True');
    const node = await admin.get(NODES, 'kwok-node-1');
    expect(node.metadata.labels).toMatchObject({ mine: 'yes', type: 'special', 'vimana.io/runtime': 'simulated' });
    expect(node.status?.capacity).toMatchObject({ 'example.com/widget': '3', cpu: '32' });
    expect(node.status?.allocatable).toMatchObject({ 'example.com/widget': '2', cpu: '32' });
    const body = [{ op: 'add', path: '/status/capacity/example.com~1gadget', value: '7' }];
    await admin.patch(NODES, 'kwok-node-1', { type: 'json', body }, { subresource: 'status' });
    const unwell = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    await admin.patch(NODES, 'kwok-node-1', { type: 'strategic', body: unwell }, { subresource: 'status' });
    await cluster.until(async () => (await ready('kwok-node-1')) === 'True');
    expect((await admin.get(NODES, 'kwok-node-1')).status?.capacity).toMatchObject({ 'example.com/gadget': '7' });
  });

  it('grows and shrinks', async () => {
    const { fleet } = harness.start({ pools: [{ count: 2 }, { name: 'more', count: 1, prefix: 'more-' }] });
    await cluster.until(async () => (await leases()) === 3);
    await fleet.scale(4);
    await cluster.until(async () => (await leases()) === 5);
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, 'kwok-node-4');
    await harness.untilPhase('m', 'Running');
    await fleet.scale(1);
    expect(await names()).toEqual(['kwok-node-1', 'more-1']);
    expect((await harness.untilPhase('m', 'Failed')).status?.reason).toBe('NodeDeleted');
    await cluster.until(async () => (await fleet.simulation.driver('kwok-node-4').list()).length === 0);
    await fleet.scale(4);
    await cluster.until(async () => (await leases()) === 5);
    await fleet.scale(1);
    await fleet.scale(0, 'more');
    expect(fleet.nodes).toEqual(['kwok-node-1']);
    await expect(fleet.scale(1, 'nobody')).rejects.toThrow('node pool "nobody" not found');
  });

  describe('whose node is deleted', () => {
    it('stops its machines at once, reports that, and does not create the node again', async () => {
      const { fleet } = harness.start({ pools: [{ count: 2 }] });
      await cluster.until(async () => (await leases()) === 2);
      await harness.createLauncherPod(await harness.makeInstance('m'), 'kwok-node-1');
      const { metadata } = await harness.untilPhase('m', 'Running');
      await admin.delete(NODES, 'kwok-node-1');
      const { status } = await harness.untilPhase('m', 'Failed');
      expect(status?.reason).toBe('NodeDeleted');
      expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
        'the node was deleted together with its VMs',
      );
      await harness.untilPod('launcher-m', (pod) => pod.status?.phase === 'Failed');
      await cluster.until(
        async () => (await fleet.simulation.driver('kwok-node-1').inspect(metadata.uid)) === undefined,
      );
      expect(fleet.nodes).toEqual(['kwok-node-2']);
      // A pod that a scheduler binds there by mistake is not started.
      await harness.createLauncherPod(await harness.makeInstance('late'), 'kwok-node-1');
      await cluster.clock.advance(60_000);
      expect((await harness.instance('late')).status?.phase).toBe('Pending');
      expect(await names()).toEqual(['kwok-node-2']);
    });

    it('uses the node again once it is created again', async () => {
      const { fleet } = harness.start({ pools: [{ count: 2 }] });
      await cluster.until(async () => (await leases()) === 2);
      await admin.delete(NODES, 'kwok-node-1');
      await cluster.until(() => !fleet.nodes.includes('kwok-node-1'));
      const made = await admin.create(NODES, { metadata: { name: 'kwok-node-1' } });
      await cluster.until(async () => (await ready('kwok-node-1')) === 'True');
      await harness.createLauncherPod(await harness.makeInstance('m'), 'kwok-node-1');
      await harness.untilPhase('m', 'Running');
      expect(fleet.nodes).toContain('kwok-node-1');
      const lease = await admin.get(LEASES, 'kwok-node-1', { namespace: 'kube-node-lease' });
      expect(lease.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([made.metadata.uid]);
    });
  });

  it('deletes its nodes at the end if configured', async () => {
    const { stop } = harness.start({ deregister: true });
    await cluster.until(async () => (await leases()) === 3);
    await stop();
    expect(await names()).toEqual([]);
  });

  it('reports the usage of its nodes and pods', async () => {
    const { fleet } = harness.start({ pools: [{ count: 2 }] });
    await harness.makePod('p', {
      annotations: { 'kubevirt.io/vm-cpu-consumption': '0.25', 'kubevirt.io/vm-memory-consumption': '0.5' },
    });
    const pod = await harness.untilPod('p', ({ status }) => status?.phase === 'Running');
    expect(fleet.usageOf(pod)).toEqual({ cores: 8, bytes: 64 * 2 ** 30 });
    const ask = async (resource: string, name = '') =>
      await fleet.metrics().handle({ resource, name, namespace: '', query: new URLSearchParams() } as ExtensionRequest);
    expect(await ask('nodes', 'kwok-node-1')).toMatchObject({
      body: { usage: { cpu: '8000000000n', memory: '67108864Ki' } },
    });
    expect(await ask('nodes')).toMatchObject({ body: { items: [{}, { usage: { cpu: '0', memory: '0' } }] } });
    expect(await ask('pods')).toMatchObject({ body: { items: [{ metadata: { name: 'p' } }] } });
  });
});
