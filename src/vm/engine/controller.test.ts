import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { startVmHarness, type VmHarness } from '#testing/vm-harness';

let world: VmHarness;
beforeEach(async () => {
  world = await startVmHarness();
});
afterEach(() => world.stop());

const namespace = 'default';

describe('a machine that is to run always', () => {
  it('gets an instance, and tells how it is', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    const instance = await world.untilMade();
    expect(instance.metadata).toMatchObject({
      labels: { app: 'web' },
      annotations: { 'kubevirt.io/vm-generation': '1' },
      finalizers: ['foregroundDeleteVirtualMachine'],
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', controller: true }],
    });
    await world.untilPrinted('Starting');
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    expect(await world.status()).toMatchObject({
      observedGeneration: 1,
      desiredGeneration: 1,
      created: true,
      ready: true,
      virtualMachine: 'web',
      runStrategy: 'Always',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(world.told).toEqual(['Normal SuccessfulCreate']);
  });

  it('is stopped with its spec', async () => {
    world.control();
    await world.running({ running: true });
    await world.edit('web', { running: false });
    await world.untilGoing();
    await world.untilPrinted('Stopping');
    await world.ends();
    await world.until(async () => (await world.status())?.created === false);
    expect(await world.status()).toMatchObject({
      printableStatus: 'Stopped',
      ready: false,
      conditions: [
        { type: 'Ready', status: 'False', reason: 'VMINotExists' },
        { type: 'LastShutdown', reason: 'Stopped' },
      ],
    });
    expect(world.told).toEqual(['Normal SuccessfulCreate', 'Normal SuccessfulDelete']);
  });

  it('needs no restart for a stop that leaves its guest less time', async () => {
    let operator: Client = world.admin;
    world.control({}, (client) => (operator = client));
    await world.running({ runStrategy: 'Always' });
    const instance = await operator.get(VMIS, 'web', { namespace });
    await operator.update(VMIS, { ...instance, spec: { ...instance.spec, terminationGracePeriodSeconds: 0 } });
    await world.edit('web', { runStrategy: 'Halted' });
    await world.untilPrinted('Stopping');
    expect(await world.condition('RestartRequired')).toBeUndefined();
    expect(world.told).not.toContain('Normal RestartRequired');
    expect(world.told).not.toContain('Warning RestartRequired');
  });

  it('runs again after its guest has shut down, with the spec of then', async () => {
    world.control();
    const { metadata } = await world.running();
    await world.edit('web', { template: { spec: { hostname: 'other' } } });
    await world.until(async () => (await world.condition('RestartRequired')) !== undefined);
    await world.clock.advance(60_000);
    await world.phase('web', 'Succeeded', { reason: 'GuestShutdown' });
    await world.untilGoing();
    expect(await world.condition('LastShutdown')).toMatchObject({ reason: 'GuestShutdown' });
    await world.finish('web');
    const next = await world.untilAnother(metadata.uid);
    expect(next.spec.hostname).toBe('other');
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    expect(await world.condition('RestartRequired')).toBeUndefined();
    expect(await world.condition('LastShutdown')).toMatchObject({ reason: 'GuestShutdown' });
    expect(world.told).toContain('Normal GuestShutdown');
  });

  it('runs elsewhere after its node is lost, without waiting', async () => {
    world.control();
    const { metadata } = await world.running();
    await world.phase('web', 'Failed', { reason: 'NodeLost' });
    await world.untilGoing();
    await world.finish('web');
    await world.untilAnother(metadata.uid);
    expect(await world.condition('LastShutdown')).toMatchObject({ reason: 'NodeLost' });
    expect((await world.status())?.startFailure).toBeUndefined();
    expect(world.told).toContain('Warning NodeLost');
  });

  it('is restarted on request, once', async () => {
    world.control();
    const { metadata } = await world.running();
    await world.request([{ action: 'Stop', uid: metadata.uid }, { action: 'Start' }]);
    await world.ends();
    const next = await world.untilAnother(metadata.uid);
    await world.phase('web', 'Running');
    await world.until(async () => (await world.status())?.stateChangeRequests === undefined);
    await world.settle();
    expect((await world.instance('web'))?.metadata.uid).toBe(next.metadata.uid);
  });
});

describe('a change of a machine that runs', () => {
  it('reaches it where it can, and else waits and is told by name until it is taken back', async () => {
    world.control();
    const { metadata } = await world.running();
    await world.edit('web', {
      template: { spec: { domain: { cpu: { sockets: 3 } }, nodeSelector: { zone: 'b' }, hostname: 'h' } },
    });
    await world.until(async () => (await world.instance('web'))?.spec.domain.cpu?.sockets === 3);
    expect((await world.instance('web'))?.spec).toMatchObject({ nodeSelector: { zone: 'b' } });
    await world.until(async () => (await world.condition('RestartRequired')) !== undefined);
    expect(await world.condition('RestartRequired')).toMatchObject({
      message: expect.stringMatching(/: spec\.template\.spec\.hostname$/) as string,
    });
    expect(await world.status()).toMatchObject({ observedGeneration: 1, desiredGeneration: 2 });
    await world.edit('web', { template: { spec: { hostname: null } } });
    await world.until(async () => (await world.condition('RestartRequired')) === undefined);
    expect(await world.status()).toMatchObject({ observedGeneration: 3, desiredGeneration: 3 });
    expect((await world.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect(world.told).toEqual(['Normal SuccessfulCreate', 'Normal RestartRequired', 'Normal LiveUpdated']);
  });

  it('waits for the next start where changes are staged', async () => {
    world.control({ rollout: 'Stage' });
    const { spec } = await world.running();
    await world.edit('web', { template: { spec: { domain: { cpu: { sockets: 3 } } } } });
    await world.until(async () => (await world.condition('RestartRequired')) !== undefined);
    expect((await world.instance('web'))?.spec).toEqual(spec);
  });
});

describe('the addresses of a machine', () => {
  it('stay through restart, also of the controller', async () => {
    const stop = world.control();
    const first = await world.running();
    const identity = first.metadata.annotations?.['vimana.io/identity'] ?? '';
    expect(JSON.parse(identity)).toMatchObject({
      default: { mac: expect.any(String) as string, ip: expect.stringMatching(/^10\.244\./) as string },
    });
    const addresses = (await world.status())?.interfaces;
    await world.edit('web', { runStrategy: 'Halted' });
    await world.ends();
    await world.waitForDeletion();
    await world.until(async () => (await world.status())?.created === false);
    await stop();
    world.control();
    await world.edit('web', { runStrategy: 'Always' });
    const next = await world.untilAnother(first.metadata.uid);
    expect(next.metadata.annotations?.['vimana.io/identity']).toBe(identity);
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    expect((await world.status())?.interfaces).toEqual(addresses);
  });
});

describe('the controller', () => {
  it('needs one creation and one status for each of many machines', async () => {
    const many = 60;
    for (let i = 0; i < many; i++) await world.make(`vm-${i}`, { runStrategy: 'Always' });
    world.control();
    for (let i = 0; i < many; i++) await world.untilMade(`vm-${i}`);
    for (let i = 0; i < many; i++) await world.phase(`vm-${i}`, 'Running');
    for (let i = 0; i < many; i++) await world.untilPrinted('Running', `vm-${i}`);
    await world.clock.advance(1000);
    const count = (write: string) => world.writes.filter((each) => each === write).length;
    expect(count('create VirtualMachineInstance')).toBe(many);
    // Sixteen VMs are few enough to report each step.
    expect(count('update VirtualMachine/status')).toBe(many + 16);
    expect(world.writes).toHaveLength(2 * many + 16);
    const ips = new Set<string>();
    for (let i = 0; i < many; i++) ips.add((await world.status(`vm-${i}`))?.interfaces?.[0]?.ipAddress ?? '');
    expect(ips.size).toBe(many);
  });

  it('makes no second instance though its cache lags behind', async () => {
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
    world.control({}, slow);
    await world.make('web', { runStrategy: 'Always' });
    await world.untilMade();
    for (let i = 0; i < 5; i++) {
      await world.admin.patch(
        VMS,
        'web',
        { type: 'merge', body: { metadata: { labels: { touch: `${i}` } } } },
        { namespace },
      );
      await world.settle();
    }
    expect(world.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
    late = false;
    for (const go of held) go();
    held = [];
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    expect(world.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
  });

  it('takes no second turn with a request that it has done, though it crashes before it can say so', async () => {
    let crashing = true;
    const stop = world.control({}, (client) => ({
      ...client,
      update: (...args) =>
        crashing ? Promise.reject(new KubeError(503, 'ServiceUnavailable', 'down')) : client.update(...args),
    }));
    await world.make('web', { runStrategy: 'Manual' });
    await world.request([{ action: 'Start' }]);
    await world.untilMade();
    await stop();
    await world.phase('web', 'Running');
    await world.phase('web', 'Succeeded', { reason: 'GuestShutdown' });
    crashing = false;
    world.control();
    await world.untilPrinted('Stopped');
    await world.settle();
    expect(world.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
    expect((await world.status())?.stateChangeRequests).toBeUndefined();
    expect((await world.instance('web'))?.status?.phase).toBe('Succeeded');
  });

  it('starts a failed machine again though it crashes as soon as it has deleted the instance', async () => {
    let crashed = false;
    const down = () => Promise.reject(new KubeError(503, 'ServiceUnavailable', 'down'));
    const stop = world.control({}, (client) => ({
      ...client,
      update: (...args) => (crashed ? down() : client.update(...args)),
      create: (...args) => (crashed ? down() : client.create(...args)),
      async delete(...args) {
        const left = await client.delete(...args);
        crashed = true;
        return left;
      },
    }));
    const { metadata } = await world.running({ runStrategy: 'RerunOnFailure' });
    await world.clock.advance(60_000);
    await world.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await world.untilGoing();
    await world.finish('web');
    await world.waitForDeletion();
    await stop();
    world.control();
    await world.untilAnother(metadata.uid);
    expect(await world.condition('LastShutdown')).toMatchObject({ reason: 'Error' });
  });

  it('writes nothing about a machine that stays as it is', async () => {
    const stop = world.control();
    await world.running();
    await world.make('off', { runStrategy: 'Halted' });
    await world.untilPrinted('Stopped', 'off');
    await world.settle();
    await stop();
    const before = world.writes.length;
    world.control();
    await world.settle();
    await world.clock.advance(3_600_000);
    expect(world.writes.slice(before)).toEqual([]);
  });
});
