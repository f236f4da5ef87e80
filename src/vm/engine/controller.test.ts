import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { startVmHarness, type VmHarness } from '#testing/vm-harness';

let harness: VmHarness;
beforeEach(async () => {
  harness = await startVmHarness();
});
afterEach(() => harness.stop());

const namespace = 'default';

describe('a VM with the run strategy Always', () => {
  it('gets an instance, and reports its state', async () => {
    harness.control();
    await harness.make('web', { runStrategy: 'Always' });
    const instance = await harness.untilMade();
    expect(instance.metadata).toMatchObject({
      labels: { app: 'web' },
      annotations: { 'kubevirt.io/vm-generation': '1' },
      finalizers: ['foregroundDeleteVirtualMachine'],
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', controller: true }],
    });
    await harness.untilPrinted('Starting');
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect(await harness.status()).toMatchObject({
      observedGeneration: 1,
      desiredGeneration: 1,
      created: true,
      ready: true,
      virtualMachine: 'web',
      runStrategy: 'Always',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(harness.told).toEqual(['Normal SuccessfulCreate']);
  });

  it('is stopped with its spec', async () => {
    harness.control();
    await harness.running({ running: true });
    await harness.edit('web', { running: false });
    await harness.untilGoing();
    await harness.untilPrinted('Stopping');
    await harness.ends();
    await harness.until(async () => (await harness.status())?.created === false);
    expect(await harness.status()).toMatchObject({
      printableStatus: 'Stopped',
      ready: false,
      conditions: [
        { type: 'Ready', status: 'False', reason: 'VMINotExists' },
        { type: 'LastShutdown', reason: 'Stopped' },
      ],
    });
    expect(harness.told).toEqual(['Normal SuccessfulCreate', 'Normal SuccessfulDelete']);
  });

  it('needs no restart to be stopped with a shorter grace period', async () => {
    let operator: Client = harness.admin;
    harness.control({}, (client) => (operator = client));
    await harness.running({ runStrategy: 'Always' });
    const instance = await operator.get(VMIS, 'web', { namespace });
    await operator.update(VMIS, { ...instance, spec: { ...instance.spec, terminationGracePeriodSeconds: 0 } });
    await harness.edit('web', { runStrategy: 'Halted' });
    await harness.untilPrinted('Stopping');
    expect(await harness.condition('RestartRequired')).toBeUndefined();
    expect(harness.told).not.toContain('Normal RestartRequired');
    expect(harness.told).not.toContain('Warning RestartRequired');
  });

  it('runs again after its guest has shut down, with its current spec', async () => {
    harness.control();
    const { metadata } = await harness.running();
    await harness.edit('web', { template: { spec: { hostname: 'other' } } });
    await harness.until(async () => (await harness.condition('RestartRequired')) !== undefined);
    await harness.clock.advance(60_000);
    await harness.phase('web', 'Succeeded', { reason: 'GuestShutdown' });
    await harness.untilGoing();
    expect(await harness.condition('LastShutdown')).toMatchObject({ reason: 'GuestShutdown' });
    await harness.finish('web');
    const next = await harness.untilAnother(metadata.uid);
    expect(next.spec.hostname).toBe('other');
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect(await harness.condition('RestartRequired')).toBeUndefined();
    expect(await harness.condition('LastShutdown')).toMatchObject({ reason: 'GuestShutdown' });
    expect(harness.told).toContain('Normal GuestShutdown');
  });

  it('runs elsewhere after its node is lost, without waiting', async () => {
    harness.control();
    const { metadata } = await harness.running();
    await harness.phase('web', 'Failed', { reason: 'NodeLost' });
    await harness.untilGoing();
    await harness.finish('web');
    await harness.untilAnother(metadata.uid);
    expect(await harness.condition('LastShutdown')).toMatchObject({ reason: 'NodeLost' });
    expect((await harness.status())?.startFailure).toBeUndefined();
    expect(harness.told).toContain('Warning NodeLost');
  });

  it('is restarted on request, once', async () => {
    harness.control();
    const { metadata } = await harness.running();
    await harness.request([{ action: 'Stop', uid: metadata.uid }, { action: 'Start' }]);
    await harness.ends();
    const next = await harness.untilAnother(metadata.uid);
    await harness.phase('web', 'Running');
    await harness.until(async () => (await harness.status())?.stateChangeRequests === undefined);
    await harness.settle();
    expect((await harness.instance('web'))?.metadata.uid).toBe(next.metadata.uid);
  });
});

describe('a change of a running VM', () => {
  it('is applied if possible, and is otherwise reported by field until it is reverted', async () => {
    harness.control();
    const { metadata } = await harness.running();
    await harness.edit('web', {
      template: { spec: { domain: { cpu: { sockets: 3 } }, nodeSelector: { zone: 'b' }, hostname: 'h' } },
    });
    await harness.until(async () => (await harness.instance('web'))?.spec.domain.cpu?.sockets === 3);
    expect((await harness.instance('web'))?.spec).toMatchObject({ nodeSelector: { zone: 'b' } });
    await harness.until(async () => (await harness.condition('RestartRequired')) !== undefined);
    expect(await harness.condition('RestartRequired')).toMatchObject({
      message: expect.stringMatching(/: spec\.template\.spec\.hostname$/) as string,
    });
    expect(await harness.status()).toMatchObject({ observedGeneration: 1, desiredGeneration: 2 });
    await harness.edit('web', { template: { spec: { hostname: null } } });
    await harness.until(async () => (await harness.condition('RestartRequired')) === undefined);
    expect(await harness.status()).toMatchObject({ observedGeneration: 3, desiredGeneration: 3 });
    expect((await harness.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect(harness.told).toEqual(['Normal SuccessfulCreate', 'Normal RestartRequired', 'Normal LiveUpdated']);
  });

  it('waits for the next start if changes are staged', async () => {
    harness.control({ rollout: 'Stage' });
    const { spec } = await harness.running();
    await harness.edit('web', { template: { spec: { domain: { cpu: { sockets: 3 } } } } });
    await harness.until(async () => (await harness.condition('RestartRequired')) !== undefined);
    expect((await harness.instance('web'))?.spec).toEqual(spec);
  });
});

describe('the addresses of a VM', () => {
  it('survive restarts, also of the controller', async () => {
    const stop = harness.control();
    const first = await harness.running();
    const identity = first.metadata.annotations?.['vimana.io/identity'] ?? '';
    expect(JSON.parse(identity)).toMatchObject({
      default: { mac: expect.any(String) as string, ip: expect.stringMatching(/^10\.244\./) as string },
    });
    const addresses = (await harness.status())?.interfaces;
    await harness.edit('web', { runStrategy: 'Halted' });
    await harness.ends();
    await harness.waitForDeletion();
    await harness.until(async () => (await harness.status())?.created === false);
    await stop();
    harness.control();
    await harness.edit('web', { runStrategy: 'Always' });
    const next = await harness.untilAnother(first.metadata.uid);
    expect(next.metadata.annotations?.['vimana.io/identity']).toBe(identity);
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect((await harness.status())?.interfaces).toEqual(addresses);
  });
});

describe('the controller', () => {
  it('needs one creation and one status write for each of many VMs', async () => {
    const many = 60;
    for (let i = 0; i < many; i++) await harness.make(`vm-${i}`, { runStrategy: 'Always' });
    harness.control();
    for (let i = 0; i < many; i++) await harness.untilMade(`vm-${i}`);
    for (let i = 0; i < many; i++) await harness.phase(`vm-${i}`, 'Running');
    for (let i = 0; i < many; i++) await harness.untilPrinted('Running', `vm-${i}`);
    await harness.clock.advance(1000);
    const count = (write: string) => harness.writes.filter((each) => each === write).length;
    expect(count('create VirtualMachineInstance')).toBe(many);
    // Sixteen VMs are few enough to report each step.
    expect(count('update VirtualMachine/status')).toBe(many + 16);
    expect(harness.writes).toHaveLength(2 * many + 16);
    const ips = new Set<string>();
    for (let i = 0; i < many; i++) ips.add((await harness.status(`vm-${i}`))?.interfaces?.[0]?.ipAddress ?? '');
    expect(ips.size).toBe(many);
  });

  it('creates no second instance despite a stale cache', async () => {
    let held: (() => void)[] = [];
    let late = true;
    const slow = (client: Client): Client => ({
      ...client,
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (late && type.plural === VMIS.plural) await new Promise<void>((resolve) => held.push(resolve));
          yield event;
        }
      },
    });
    harness.control({}, slow);
    await harness.make('web', { runStrategy: 'Always' });
    await harness.untilMade();
    for (let i = 0; i < 5; i++) {
      await harness.admin.patch(
        VMS,
        'web',
        { type: 'merge', body: { metadata: { labels: { touch: `${i}` } } } },
        { namespace },
      );
      await harness.settle();
    }
    expect(harness.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
    late = false;
    for (const go of held) go();
    held = [];
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect(harness.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
  });

  it('does not repeat a request, even if it crashes before it records the result', async () => {
    let crashing = true;
    const stop = harness.control({}, (client) => ({
      ...client,
      update: (...args) =>
        crashing ? Promise.reject(new KubeError(503, 'ServiceUnavailable', 'down')) : client.update(...args),
    }));
    await harness.make('web', { runStrategy: 'Manual' });
    await harness.request([{ action: 'Start' }]);
    await harness.untilMade();
    await stop();
    await harness.phase('web', 'Running');
    await harness.phase('web', 'Succeeded', { reason: 'GuestShutdown' });
    crashing = false;
    harness.control();
    await harness.untilPrinted('Stopped');
    await harness.settle();
    expect(harness.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
    expect((await harness.status())?.stateChangeRequests).toBeUndefined();
    expect((await harness.instance('web'))?.status?.phase).toBe('Succeeded');
  });

  it('restarts a failed VM, even if it crashes right after deleting the instance', async () => {
    let crashed = false;
    const down = () => Promise.reject(new KubeError(503, 'ServiceUnavailable', 'down'));
    const stop = harness.control({}, (client) => ({
      ...client,
      update: (...args) => (crashed ? down() : client.update(...args)),
      create: (...args) => (crashed ? down() : client.create(...args)),
      async delete(...args) {
        const left = await client.delete(...args);
        crashed = true;
        return left;
      },
    }));
    const { metadata } = await harness.running({ runStrategy: 'RerunOnFailure' });
    await harness.clock.advance(60_000);
    await harness.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await harness.untilGoing();
    await harness.finish('web');
    await harness.waitForDeletion();
    await stop();
    harness.control();
    await harness.untilPrinted('CrashLoopBackOff');
    await harness.clock.advance(15_000);
    await harness.untilAnother(metadata.uid);
    expect(await harness.condition('LastShutdown')).toMatchObject({ reason: 'Error' });
  });

  it('writes nothing for an unchanged VM', async () => {
    const stop = harness.control();
    await harness.running();
    await harness.make('off', { runStrategy: 'Halted' });
    await harness.untilPrinted('Stopped', 'off');
    await harness.settle();
    await stop();
    const before = harness.writes.length;
    harness.control();
    await harness.settle();
    await harness.clock.advance(3_600_000);
    expect(harness.writes.slice(before)).toEqual([]);
  });
});
