import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { virtualMachine } from '#api/simulation/virtual-machine';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { SIMULATED_VMS, vmSpec } from '#fleet/library/simulated-vm';
import { VMManager } from '#fleet/library/vm-manager';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { PODS } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import { crdOf } from '#platform/schema/crd';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { WAIT } from '#testing/wait';

const namespace = 'default';

describe('a VMManager', () => {
  const clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  let plane: ControlPlane;
  let admin: Client;
  let vms: VMManager;
  beforeAll(async () => {
    const parts = { clock, random: seededRandom('vms'), log: noopLogger };
    // There is no operator, so VMs are only stored.
    plane = await startVmControlPlane({ ...parts, store: 'memory', actsOn: () => false });
    admin = plane.client();
    await admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(virtualMachine));
    await vi.waitFor(() => admin.list(SIMULATED_VMS), WAIT);
    vms = new VMManager({ client: admin, clock });
  });
  afterAll(() => plane.stop());

  it('does what the document on VMs shows', async () => {
    await vms.createVm({ id: 'test-vm', cpuConsumption: 0.15, memoryConsumption: 0.2 });
    expect(await vms.getVmStatus('test-vm')).toMatchObject({ phase: 'Pending', podName: '', cpuConsumption: '0.15' });
    await vms.updateVmStatus('test-vm', 'Running', 'pod-xyz', 'node-1');
    const status = await vms.getVmStatus('test-vm');
    expect(status).toMatchObject({
      phase: 'Running',
      podName: 'pod-xyz',
      nodeName: 'node-1',
      memoryConsumption: '0.2',
    });
    const { metadata } = await admin.get(SIMULATED_VMS, 'test-vm', { namespace });
    expect(metadata.annotations).toMatchObject({
      'simulation.node-classifier.io/cpu-consumption': '0.15',
      'simulation.node-classifier.io/memory-consumption': '0.2',
    });
    expect((await vms.listVms()).map(({ name }) => name)).toEqual(['test-vm']);
    expect([await vms.deleteVm('test-vm'), await vms.deleteVm('test-vm')]).toEqual([true, false]);
    expect(await vms.getVmStatus('test-vm')).toBeUndefined();
  });

  it('does not change an existing VM', async () => {
    await vms.createVm({ id: 'kept', cpuConsumption: 0.1, memoryConsumption: 0.1 });
    const again = await vms.createVm({ id: 'kept', cpuConsumption: 0.9, memoryConsumption: 0.9 });
    expect(again.spec.resources).toEqual({ cpu: '0.1', memory: '0.1' });
  });

  it('keeps a bounded history of phases, with the times at which each began and ended', async () => {
    await vms.createVm({ id: 'old', cpuConsumption: 0.1, memoryConsumption: 0.1 });
    for (let round = 0; round < 20; round++) {
      for (const phase of ['Scheduling', 'Scheduled', 'Running', 'Failed'] as const) {
        await vms.updateVmStatus('old', phase);
        await clock.advance(1000);
      }
    }
    const { conditions = [] } = (await vms.getVmStatus('old')) ?? {};
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'Scheduling False',
      'Scheduled False',
      'Running False',
      'Failed True',
    ]);
    const times = conditions.map(({ lastTransitionTime = '' }) => Date.parse(lastTransitionTime) / 1000);
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 1, 2, 2]);
  });

  it('writes the status from pods', async () => {
    await vms.createVm({ id: 'synced', cpuConsumption: 0.1, memoryConsumption: 0.1 });
    const spec = { containers: [{ name: 'compute', image: 'x' }] };
    await admin.create(PODS, { metadata: { name: 'p', namespace }, spec });
    expect(await vms.syncVmWithPod({ id: 'synced' }, 'p')).toMatchObject({ phase: 'Scheduling', podName: 'p' });
    const options = { namespace, subresource: 'status' };
    await admin.patch(PODS, 'p', { type: 'merge', body: { status: { phase: 'Running' } } }, options);
    await vms.syncVmsWithPods([
      { id: 'synced', cpuConsumption: 0.1, memoryConsumption: 0.1, podName: 'p' },
      { id: 'without-pod', cpuConsumption: 0.1, memoryConsumption: 0.1 },
    ]);
    expect(await vms.getVmStatus('synced')).toMatchObject({ phase: 'Running' });
    expect(await vms.syncVmWithPod({ id: 'synced' }, 'gone')).toMatchObject({ phase: 'Pending', podName: '' });
  });

  it('retries after a conflict', async () => {
    let conflicts = 3;
    const client: Client = {
      ...admin,
      update: async (...args) => {
        if (conflicts-- > 0) throw new KubeError(409, 'Conflict', 'somebody else was faster');
        return await admin.update(...args);
      },
    };
    const other = new VMManager({ client, clock });
    await other.createVm({ id: 'busy', cpuConsumption: 0.1, memoryConsumption: 0.1 });
    await other.updateVmStatus('busy', 'Scheduled', 'p', 'n');
    expect([conflicts < 0, (await other.getVmStatus('busy'))?.phase]).toEqual([true, 'Scheduled']);
    conflicts = Number.POSITIVE_INFINITY;
    await expect(other.updateVmStatus('busy', 'Running')).rejects.toThrow('somebody else was faster');
  });

  it('deletes all VMs of its namespace', async () => {
    expect(await vms.cleanupAllVms()).toBeGreaterThan(3);
    expect(await vms.listVms()).toEqual([]);
  });
});

describe('the spec of a VM', () => {
  it.each([
    [
      { cpuConsumption: 0.05, memoryConsumption: 0.08 },
      { resources: { cpu: '0.05', memory: '0.08' }, running: true },
    ],
    [
      { cpuCores: 4, memoryBytes: 8 * 2 ** 30 },
      { resources: { cpu: '4', memory: '8Gi' }, utilization: { cpu: '1', memory: '1' }, running: true },
    ],
    [
      { cpuCores: 0.5, memoryBytes: 3 * 2 ** 20, cpuUtilization: 1.5, memoryUtilization: 0 },
      { resources: { cpu: '0.5', memory: '3Mi' }, utilization: { cpu: '1.5', memory: '0' }, running: true },
    ],
    // Without a suffix it would be a fraction of a node.
    [
      { cpuCores: 1, memoryBytes: 2_000_000_000 },
      { resources: { cpu: '1', memory: '1953125Ki' }, utilization: { cpu: '1', memory: '1' }, running: true },
    ],
  ])('of %j', (size, spec) => {
    expect(vmSpec(size)).toEqual(spec);
  });
});
