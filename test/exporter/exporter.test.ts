import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { virtualMachine } from '#api/simulation/virtual-machine';
import { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { PodManager } from '#fleet/library/pod-manager';
import { SIMULATED_VMS, vmObject } from '#fleet/library/simulated-vm';
import { realClock } from '#platform/base/clock';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { crdOf } from '#platform/schema/crd';
import { startInMemory } from '#testing/embedded-in-memory';
import { type ExporterWorld, namespace, SAMPLES, startExporterWorld, TIMEOUT } from './world.ts';

describe('the exporter of a cluster', () => {
  let world: ExporterWorld;
  let embedded: ExporterWorld['embedded'];
  let ask: ExporterWorld['ask'];
  let vms: ExporterWorld['vms'];
  let pods: ExporterWorld['pods'];

  beforeAll(async () => {
    world = await startExporterWorld();
    ({ embedded, ask, vms, pods } = world);
  });
  afterAll(() => world.stop());

  const metrics = async () =>
    new Map(
      (await world.metricsText())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );

  it('loads a scenario, and replaces only what an earlier one has created', async () => {
    const own = { id: 'mine', cpuConsumption: 0.01, memoryConsumption: 0.01 };
    await embedded.admin.create(SIMULATED_VMS, vmObject(own, { namespace }));
    expect((await ask('/scenario?name=light_load', SAMPLES)).body).toEqual({
      status: 'success',
      nodes_loaded: 6,
      total_vms: 112,
      unschedulable: [],
    });
    expect((await ask('/scenario?name=mixed_load', SAMPLES)).body).toMatchObject({ nodes_loaded: 12, total_vms: 643 });
    const names = (await vms()).map(({ metadata }) => metadata.name);
    expect([names.length, names.includes('mine')]).toEqual([644, true]);
    // The response is sent when all VMs are scheduled: none is pending, and each has one pod.
    const placed = await pods();
    expect([placed.length, placed.filter(({ spec }) => (spec.nodeName ?? '') === '').length]).toEqual([644, 0]);
  });

  it('reports the sums of the launcher pods of each node, without requests', async () => {
    const sums = new Map<string, number>();
    for (const { spec, metadata } of await pods()) {
      const share = Number(metadata.annotations?.['kubevirt.io/vm-cpu-consumption']);
      sums.set(spec.nodeName ?? '', (sums.get(spec.nodeName ?? '') ?? 0) + share);
    }
    expect(world.requests()).toBeGreaterThan(643);
    const before = world.requests();
    const told = await metrics();
    expect(world.requests()).toBe(before);
    expect(sums.size).toBe(12);
    for (const [node, sum] of sums) expect(told.get(`node_cpu_usage_ratio{node="${node}"}`)).toBeCloseTo(sum, 5);
  });

  it('reports an annotation of a pod at once', async () => {
    const pod = (await pods()).find(({ metadata }) => metadata.name?.startsWith('virt-launcher-mine-') === true);
    const line = `node_cpu_usage_ratio{node="${pod?.spec.nodeName}"}`;
    const before = (await metrics()).get(line) ?? 0;
    const body = { metadata: { annotations: { 'kubevirt.io/vm-cpu-consumption': '0.51' } } };
    await embedded.admin.patch(PODS, pod?.metadata.name ?? '', { type: 'merge', body }, { namespace });
    await vi.waitFor(async () => expect((await metrics()).get(line)).toBeCloseTo(before + 0.5, 5), TIMEOUT);
  });

  it('warns about a consumption that is not a number, and ignores it', async () => {
    const pod = (await pods()).find(({ metadata }) => metadata.name?.startsWith('virt-launcher-vm-1-') === true);
    const name = pod?.metadata.name ?? '';
    const set = (cpu: string | undefined) => {
      const body = { metadata: { annotations: { 'kubevirt.io/vm-cpu-consumption': cpu } } };
      return embedded.admin.patch(PODS, name, { type: 'merge', body }, { namespace });
    };
    const warning = async () => ((await ask('/health')).body as { warning?: string }).warning;
    expect(await warning()).toBeUndefined();
    await set('half');
    await vi.waitFor(async () => {
      expect(await warning()).toBe(`the consumption annotation is not a number and is ignored: pods default/${name}`);
    }, TIMEOUT);
    await set(pod?.metadata.annotations?.['kubevirt.io/vm-cpu-consumption']);
    await vi.waitFor(async () => expect(await warning()).toBeUndefined(), TIMEOUT);
  });

  it('moves VMs, and reports where the scheduler has placed them', async () => {
    const before = await pods();
    const [first, second] = before.filter(({ metadata }) => /-vm-\d+-/.test(metadata.name ?? ''));
    const idOf = (pod: typeof first) => pod?.metadata.labels?.['kubevirt.io/domain'] ?? '';
    const from = first?.spec.nodeName ?? '';
    const to = (await embedded.admin.list(NODES)).items
      .map(({ metadata }) => metadata.name)
      .find((each) => each !== from);
    const elsewhere = second?.spec.nodeName === 'kwok-node-1' ? 'kwok-node-2' : 'kwok-node-1';
    const { body } = await ask('/feedback', {
      migrations: [
        { vm_id: idOf(first), from_node: from, to_node: to },
        { vm_id: 'nobody', from_node: from, to_node: to },
        { vm_id: idOf(second), from_node: elsewhere, to_node: 'kwok-node-3' },
        { vm_id: 'mine', from_node: 'kwok-node-1', to_node: 'nowhere' },
      ],
    });
    const after = (await pods()).filter((pod) => idOf(pod) === idOf(first));
    expect(after).toHaveLength(1);
    expect(after[0]?.metadata.uid).not.toBe(first?.metadata.uid);
    const actual = after[0]?.spec.nodeName;
    expect(body.results[0]).toEqual({
      vm_id: idOf(first),
      from_node: from,
      to_node: to,
      actual_node: actual,
      success: actual !== from,
      as_suggested: actual === to,
      error: actual === from ? `the scheduler chose node ${from} again` : null,
    });
    expect(body.results[1]).toMatchObject({ success: false, error: 'no running VM default/nobody found' });
    expect(body.results[2]).toMatchObject({ success: false, actual_node: second?.spec.nodeName });
    expect(body.results[3]).toMatchObject({ success: false });
  });

  it('moves a VM without a suggested node, and keeps the annotations of its pod', async () => {
    const ofMine = async () => (await pods()).find(({ metadata }) => metadata.name?.startsWith('virt-launcher-mine-'));
    const old = await ofMine();
    expect(old?.metadata.annotations?.['kubevirt.io/vm-cpu-consumption']).toBe('0.51');
    const migrations = [{ vm_id: 'mine', from_node: old?.spec.nodeName }];
    const { body } = await ask('/feedback', { migrations });
    const next = await ofMine();
    const actual = next?.spec.nodeName;
    expect(body.results[0]).toMatchObject({
      to_node: null,
      actual_node: actual,
      success: actual !== old?.spec.nodeName,
      as_suggested: actual !== old?.spec.nodeName,
    });
    expect(next?.metadata.uid).not.toBe(old?.metadata.uid);
    expect(next?.metadata.annotations).toMatchObject({
      'kubevirt.io/vm-cpu-consumption': '0.51',
      'kubevirt.io/vm-memory-consumption': '0.01',
    });
    const twice = ['mine', 'default/mine'].map((vm_id) => ({ vm_id, from_node: actual }));
    const refusal = await ask('/feedback', { migrations: twice });
    expect([refusal.status, refusal.body.causes.map(({ message }) => message)]).toEqual([
      400,
      ['migrations[1].vm_id: Duplicate value: "default/mine"'],
    ]);
  });

  it('distinguishes VMs of other namespaces, and moves them by their reported IDs', async () => {
    await embedded.admin.create(NAMESPACES, { metadata: { name: 'other' } });
    const vm = { id: 'mine', cpuConsumption: 0.01, memoryConsumption: 0.01 };
    await embedded.admin.create(SIMULATED_VMS, vmObject(vm, { namespace: 'other' }), { namespace: 'other' });
    const found = await vi.waitFor(async () => {
      const { nodes } = (await ask('/scenario')).body;
      const all = nodes.flatMap(({ name, vms }) => vms.map(({ id }) => ({ id, name })));
      expect(
        all
          .filter(({ id }) => id.endsWith('mine'))
          .map(({ id }) => id)
          .sort(),
      ).toEqual(['mine', 'other/mine']);
      return all.find(({ id }) => id === 'other/mine');
    }, TIMEOUT);
    const elsewhere = found?.name === 'kwok-node-1' ? 'kwok-node-2' : 'kwok-node-1';
    const migrations = [{ vm_id: 'other/mine', from_node: found?.name, to_node: elsewhere }];
    const { body } = await ask('/feedback', { migrations, destinations: 'planner' });
    const result = { success: true, as_suggested: true, actual_node: elsewhere, error: null };
    expect(body, JSON.stringify(body)).toMatchObject({ success: true, moved: 1, results: [result] });
    await embedded.admin.delete(SIMULATED_VMS, 'mine', { namespace: 'other' });
    await vi.waitFor(async () => {
      expect((await embedded.admin.list(PODS, { namespace: 'other' })).items).toEqual([]);
    }, TIMEOUT);
  });

  it('responds when the status of every VM names its node', async () => {
    await ask('/scenario?name=light_load', SAMPLES);
    const nodes = (await vms()).map(({ status }) => status?.nodeName ?? '');
    expect([nodes.length, nodes.filter((node) => node === '').length]).toEqual([113, 0]);
  });

  it('reports VMs that no node fits', async () => {
    const vm = (id: string, cpu: number) => ({ id, cpu_consumption: cpu, memory_consumption: 0.1 });
    const { body } = await ask('/scenario', [{ name: 'kwok-node-1', vms: [vm('fits', 0.2), vm('huge', 5)] }]);
    expect(body).toMatchObject({ status: 'success', total_vms: 2, unschedulable: [{ vm_id: 'huge' }] });
    expect(body.unschedulable[0]?.error).toContain('Insufficient cpu');
  });

  it('places the VMs of light_load on the six nodes that it names', async () => {
    const cordon = async (unschedulable: boolean) => {
      const patch = { type: 'merge', body: { spec: { unschedulable } } } as const;
      for (let i = 7; i <= 12; i++) await embedded.admin.patch(NODES, `kwok-node-${i}`, patch);
    };
    await cordon(true);
    const { body } = await ask('/scenario?name=light_load', SAMPLES);
    expect(body).toMatchObject({ status: 'success', nodes_loaded: 6, unschedulable: [] });
    await cordon(false);
  });

  it('drops a deleted node, and refreshes', async () => {
    await embedded.admin.create(NODES, {
      metadata: { name: 'guest' },
      status: { allocatable: { cpu: '4', memory: '8Gi' } },
    });
    await vi.waitFor(async () => expect((await metrics()).has('node_vm_count{node="guest"}')).toBe(true), TIMEOUT);
    expect((await ask('/nodes/guest')).body).toMatchObject({ name: 'guest', cpu_usage: 0, vms: [] });
    await embedded.admin.delete(NODES, 'guest');
    await vi.waitFor(async () => {
      expect([...(await metrics()).keys()].filter((line) => line.includes('"guest"'))).toEqual([]);
    }, TIMEOUT);
    expect((await ask('/refresh', '')).body).toMatchObject({ status: 'success', failed: [], total: 12 });
    expect((await ask('/health')).body).toEqual({
      status: 'healthy',
      nodes: 12,
      pod_manager_enabled: true,
      k8s_client_ready: true,
    });
  });
});

it('the exporter creates and moves pods itself without an operator', async () => {
  const embedded = await startInMemory({ dialects: ['kubevirt'], pools: [{ count: 2 }] });
  try {
    const { admin: client, informers } = embedded;
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(virtualMachine));
    await vi.waitFor(() => client.list(SIMULATED_VMS), TIMEOUT);
    const manager = new PodManager({ client, namespace });
    const fleet = new ClusterFleet({ client, informers, clock: realClock, pods: manager, namespace });
    await fleet.synced();
    const { signal } = new AbortController();
    const vms = ['a', 'b'].map((id) => ({ path: '', vm: { id, cpuConsumption: 0.25, memoryConsumption: 0.1 } }));
    const node = { name: 'kwok-node-1', path: '', cpuCores: 32, memoryBytes: 2 ** 37, vms };
    expect(await fleet.replace({ name: 's', nodes: [node] }, signal)).toEqual({ nodes: 1, vms: 2, unplaced: [] });
    const sum = () => fleet.loads().reduce((total, { cpuUsage }) => total + cpuUsage, 0);
    expect(sum()).toBeCloseTo(0.5, 9);
    const from = (await manager.getPodNodeAssignment('a')) ?? '';
    expect((await client.get(SIMULATED_VMS, 'a', { namespace })).status?.nodeName).toBe(from);
    const [moved] = await fleet.move([{ vm_id: 'a', from_node: from, to_node: 'kwok-node-2' }], signal);
    const actual = await manager.getPodNodeAssignment('a');
    expect(moved).toMatchObject({ success: actual !== from, actual_node: actual });
    expect((await client.list(PODS, { namespace })).items).toHaveLength(2);
    await fleet.replace({ name: 's', nodes: [{ ...node, vms: vms.slice(1) }] }, signal);
    expect((await client.list(PODS, { namespace })).items).toHaveLength(1);
    await vi.waitFor(() => expect(sum()).toBeCloseTo(0.25, 9), TIMEOUT);
  } finally {
    await embedded.stop();
  }
});
