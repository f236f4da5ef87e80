import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DialectName } from '#api/groups';
import { VMIS } from '#api/kubevirt/resources';
import { virtualMachine } from '#api/simulation/virtual-machine';
import { PodManager } from '#fleet/library/pod-manager';
import { SIMULATED_VMS, type Vm } from '#fleet/library/simulated-vm';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { Events } from '#platform/runtime/events/events';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { crdOf } from '#platform/schema/crd';
import { operatorControllers } from '#programs/operator/controllers';
import type { Embedded } from '#programs/up/embedded';
import { startInMemory } from '#testing/embedded-in-memory';
import { WAIT } from '#testing/wait';
import { simulation } from '#vm/dialects/simulation/dialect';

const namespace = 'default';
const shared = { clock: realClock, random: systemRandom(), log: noopLogger };
const start = (dialects: readonly DialectName[]) => startInMemory({ dialects, pools: [{ count: 3 }] });
const vm = (id: string, cpuConsumption = 0.1, memoryConsumption = 0.2): Vm => ({
  id,
  cpuConsumption,
  memoryConsumption,
});
const podsOf = async (client: Client, id: string) =>
  (await client.list(PODS, { namespace, labelSelector: `kubevirt.io/domain=${id}` })).items;

/** Holds back the manager of the VMs. */
function contract(make: () => { readonly pods: PodManager; readonly admin: Client }): void {
  it('creates one pod for a VM, as documented, and reports where the scheduler has placed it', async () => {
    const { pods, admin } = make();
    const name = await pods.createPod(vm('one'));
    expect(name).toMatch(/^virt-launcher-one-[a-z0-9]{5}$/);
    expect(await pods.createPod(vm('one'))).toBe(name);
    const [pod, second] = await podsOf(admin, 'one');
    expect(second).toBeUndefined();
    expect(pod?.metadata).toMatchObject({
      name,
      labels: { 'kubevirt.io/domain': 'one', 'vm.kubevirt.io/name': 'one', app: 'virt-launcher' },
      annotations: {
        'kubevirt.io/vm-cpu-consumption': '0.1',
        'kubevirt.io/vm-memory-consumption': '0.2',
        'kubevirt.io/domain': 'one',
      },
    });
    expect(pod?.spec.containers[0]).toMatchObject({
      name: 'compute',
      image: 'quay.io/kubevirt/virt-launcher:latest',
      resources: { requests: { cpu: '3200m' } },
    });
    await vi.waitFor(async () => expect(await pods.getPodNodeAssignment('one')).toMatch(/^kwok-node-/), WAIT);
    const [assigned] = await pods.updateVmNodeAssignments([vm('one')]);
    expect(assigned).toMatchObject({ podName: name, scheduledNode: await pods.getPodNodeAssignment('one') });
    await vi.waitFor(async () => {
      await pods.updateVmNodeAssignments([vm('one')]);
      expect(await pods.vms.getVmStatus('one')).toMatchObject({
        phase: 'Running',
        podName: name,
        cpuConsumption: '0.1',
      });
    }, WAIT);
  });

  it('places a VM on a node only if one is named, and only on an existing one', async () => {
    const { pods, admin } = make();
    await pods.createPod(vm('placed'), 'kwok-node-2');
    expect((await podsOf(admin, 'placed'))[0]?.spec.nodeName).toBe('kwok-node-2');
    await expect(pods.createPod(vm('lost'), 'nowhere')).rejects.toThrow('"nowhere" not found');
    expect(await podsOf(admin, 'lost')).toEqual([]);
  });

  it('moves a VM by another pod with the same annotations, where the scheduler or the caller decides', async () => {
    const { pods, admin } = make();
    await pods.createPod(vm('mover'), 'kwok-node-1');
    await vi.waitFor(async () => expect((await podsOf(admin, 'mover'))[0]?.status?.phase).toBe('Running'), WAIT);
    const [old] = await podsOf(admin, 'mover');
    const busy = { metadata: { annotations: { 'kubevirt.io/vm-memory-consumption': '0.7' } } };
    await admin.patch(PODS, old?.metadata.name ?? '', { type: 'merge', body: busy }, { namespace });
    await admin.patch(NODES, 'kwok-node-1', { type: 'merge', body: { spec: { unschedulable: true } } });
    const moved = await pods.migrateVmPod(vm('mover'), 'kwok-node-1');
    await admin.patch(NODES, 'kwok-node-1', { type: 'merge', body: { spec: { unschedulable: false } } });
    const now = await podsOf(admin, 'mover');
    expect(now).toHaveLength(1);
    expect(now[0]?.metadata).toMatchObject({ name: moved.podName });
    expect(moved.podName).not.toBe(old?.metadata.name);
    expect(['kwok-node-2', 'kwok-node-3']).toContain(moved.nodeName);
    expect(now[0]?.metadata.annotations).toMatchObject({
      'kubevirt.io/vm-cpu-consumption': '0.1',
      'kubevirt.io/vm-memory-consumption': '0.7',
    });
    expect(await pods.migrateVmPod(vm('mover'), moved.nodeName ?? '', 'kwok-node-1')).toMatchObject({
      nodeName: 'kwok-node-1',
    });
    await expect(pods.migrateVmPod(vm('mover'), 'kwok-node-3')).rejects.toThrow(
      'is on kwok-node-1, not on kwok-node-3',
    );
    await expect(pods.migrateVmPod(vm('nobody'), 'kwok-node-3')).rejects.toThrow('no running pod');
  });

  it('reconciles pods and VMs with a list, and cleans up', async () => {
    const { pods, admin } = make();
    await pods.syncPodsWithVms([]);
    expect(await pods.syncPodsWithVms([vm('a'), vm('b')])).toEqual({ created: ['a', 'b'], deleted: [] });
    expect(await pods.syncPodsWithVms([vm('b'), vm('c')])).toEqual({ created: ['c'], deleted: ['a'] });
    expect((await pods.vms.listVms()).map(({ name }) => name).sort()).toEqual(['b', 'c']);
    expect(await podsOf(admin, 'a')).toEqual([]);
    await pods.deletePod('b');
    expect([await podsOf(admin, 'b'), await pods.vms.getVmStatus('b')]).toEqual([[], undefined]);
    expect(await pods.vms.cleanupAllVms()).toBe(1);
    expect(await pods.vms.listVms()).toEqual([]);
    await vi.waitFor(async () => expect((await admin.list(PODS, { namespace })).items).toEqual([]), WAIT);
  });
}

describe('a PodManager with an operator', () => {
  let embedded: Embedded;
  beforeAll(async () => void (embedded = await start(['simulation'])));
  afterAll(() => embedded.stop());
  contract(() => ({ admin: embedded.admin, pods: new PodManager({ client: embedded.admin }) }));
});

describe('a PodManager without an operator', () => {
  let embedded: Embedded;
  beforeAll(async () => {
    embedded = await start(['kubevirt']);
    await embedded.admin.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(virtualMachine));
    await vi.waitFor(() => embedded.admin.list(SIMULATED_VMS), WAIT);
  });
  afterAll(() => embedded.stop());
  contract(() => ({ admin: embedded.admin, pods: new PodManager({ client: embedded.admin }) }));

  it('creates only pods on request', async () => {
    const pods = new PodManager({ client: embedded.admin, createVms: false });
    await pods.createPod(vm('bare'));
    expect(await pods.vms.getVmStatus('bare')).toBeUndefined();
    const node = await vi.waitFor(async () => {
      const found = await pods.getPodNodeAssignment('bare');
      expect(found).toBeDefined();
      return found ?? '';
    }, WAIT);
    await pods.migrateVmPod(vm('bare'), node);
    expect(await podsOf(embedded.admin, 'bare')).toHaveLength(1);
    await pods.deletePod('bare');
    expect(await podsOf(embedded.admin, 'bare')).toEqual([]);
  });

  it('leaves existing pods to an operator that starts later, which never creates a second one', async () => {
    const { admin, plane } = embedded;
    const pods = new PodManager({ client: admin });
    const name = await pods.createPod(vm('found'));
    await vi.waitFor(async () => expect((await podsOf(admin, 'found'))[0]?.status?.phase).toBe('Running'), WAIT);
    const [before] = await podsOf(admin, 'found');
    const operator = {
      name: 'system:serviceaccount:vimana-system:vimana-operator',
      groups: ['system:masters', 'system:authenticated'],
    };
    const client = plane.client(operator, 'vimana-operator');
    const informers = new Informers({ ...shared, client });
    const events = new Events({ ...shared, client, onDrop: () => {} });
    const settings = {
      dialects: [simulation],
      instances: false,
      rollout: 'LiveUpdate',
      nodeLostAfterMs: 40_000,
    } as const;
    const stop = new AbortController();
    const running = manager('late operator', [
      informers,
      events,
      ...operatorControllers(settings, { ...shared, client, informers, events }),
    ]).run(stop.signal);
    await vi.waitFor(async () => {
      const status = (await admin.get(SIMULATED_VMS, 'found', { namespace })).status;
      expect(status).toMatchObject({ phase: 'Running', podName: name, observedGeneration: 1 });
    }, WAIT);
    const [after, second] = await podsOf(admin, 'found');
    expect([after?.metadata.uid, second]).toEqual([before?.metadata.uid, undefined]);
    const instance = await admin.get(VMIS, 'found.simulation', { namespace });
    expect(after?.metadata.ownerReferences).toMatchObject([
      { kind: 'VirtualMachineInstance', uid: instance.metadata.uid },
    ]);
    // From here on it is a VM like any other: the next pod has a generated name.
    await pods.migrateVmPod(vm('found'), after?.spec.nodeName ?? '');
    const next = await podsOf(admin, 'found');
    expect(next).toHaveLength(1);
    expect(next[0]?.metadata.name).not.toBe(name);
    await pods.deletePod('found');
    stop.abort();
    await running;
  });
});
