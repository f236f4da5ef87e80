import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../kube/client.ts';
import { VMIS, VMS } from '../kube/kinds/machines.ts';
import { KubeError } from '../kube/kube-error.ts';
import { runGarbageCollector } from '../testing/garbage-collector.ts';
import { type MachineWorld, startMachineWorld, template } from '../testing/machine-world.ts';
import { AddressPool } from './address-pool.ts';

let world: MachineWorld;
beforeEach(async () => {
  world = await startMachineWorld();
});
afterEach(() => world.stop());

const namespace = 'default';
const status = async (name = 'web') => (await world.vm(name)).status;
const condition = async (type: string, name = 'web') =>
  (await status(name))?.conditions?.find((each) => each.type === type);
const untilPrinted = (text: string, name = 'web') =>
  world.until(async () => (await status(name))?.printableStatus === text);
const untilMade = (name = 'web') => world.until(() => world.instance(name));
const untilAnother = (uid: string, name = 'web') =>
  world.until(async () => {
    const instance = await world.instance(name);
    return instance !== undefined && instance.metadata.uid !== uid ? instance : undefined;
  });
const untilGoing = (name = 'web') =>
  world.until(async () => (await world.instance(name))?.metadata.deletionTimestamp !== undefined);
const untilGone = (name = 'web') => world.until(async () => (await world.instance(name)) === undefined);
const untilAway = (name = 'web') =>
  world.until(() =>
    world.vm(name).then(
      () => false,
      () => true,
    ),
  );
/** From nothing to a machine that runs. */
async function running(spec: object = { runStrategy: 'Always' }, name = 'web') {
  await world.make(name, spec);
  const instance = await untilMade(name);
  await world.phase(name, 'Running', { nodeName: 'n1' });
  await untilPrinted('Running', name);
  return instance;
}
const request = (stateChangeRequests: readonly object[], name = 'web') =>
  world.admin.patch(
    VMS,
    name,
    { type: 'merge', body: { status: { stateChangeRequests } } },
    { namespace, subresource: 'status' },
  );
/** The rest of a stop: the guest ends and the pod goes. */
async function ends(name = 'web') {
  await untilGoing(name);
  await world.phase(name, 'Succeeded', { reason: 'Stopped' });
  await world.finish(name);
}

describe('a machine that is to run always', () => {
  it('gets an instance, and tells how it is', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    const instance = await untilMade();
    expect(instance.metadata).toMatchObject({
      labels: { app: 'web' },
      annotations: { 'kubevirt.io/vm-generation': '1' },
      finalizers: ['foregroundDeleteVirtualMachine'],
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', controller: true }],
    });
    await untilPrinted('Starting');
    await world.phase('web', 'Running');
    await untilPrinted('Running');
    expect(await status()).toMatchObject({
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
    await running({ running: true });
    await world.edit('web', { running: false });
    await untilGoing();
    await untilPrinted('Stopping');
    await ends();
    await world.until(async () => (await status())?.created === false);
    expect(await status()).toMatchObject({
      printableStatus: 'Stopped',
      ready: false,
      conditions: [
        { type: 'Ready', status: 'False', reason: 'VMINotExists' },
        { type: 'LastShutdown', reason: 'Stopped' },
      ],
    });
    expect(world.told).toEqual(['Normal SuccessfulCreate', 'Normal SuccessfulDelete']);
  });

  it('runs again after its guest has shut down, with the spec of then', async () => {
    world.control();
    const { metadata } = await running();
    await world.edit('web', { template: { spec: { hostname: 'other' } } });
    await world.until(async () => (await condition('RestartRequired')) !== undefined);
    await world.phase('web', 'Succeeded', { reason: 'GuestShutdown' });
    await untilGoing();
    expect(await condition('LastShutdown')).toMatchObject({ reason: 'GuestShutdown' });
    await world.finish('web');
    const next = await untilAnother(metadata.uid);
    expect(next.spec.hostname).toBe('other');
    await world.phase('web', 'Running');
    await untilPrinted('Running');
    expect(await condition('RestartRequired')).toBeUndefined();
    expect(await condition('LastShutdown')).toMatchObject({ reason: 'GuestShutdown' });
    expect(world.told).toContain('Normal GuestShutdown');
  });

  it('runs elsewhere after its node is lost, without waiting', async () => {
    world.control();
    const { metadata } = await running();
    await world.phase('web', 'Failed', { reason: 'NodeLost' });
    await untilGoing();
    await world.finish('web');
    await untilAnother(metadata.uid);
    expect(await condition('LastShutdown')).toMatchObject({ reason: 'NodeLost' });
    expect((await status())?.startFailure).toBeUndefined();
    expect(world.told).toContain('Warning NodeLost');
  });

  it('is restarted on request, once', async () => {
    world.control();
    const { metadata } = await running();
    await request([{ action: 'Stop', uid: metadata.uid }, { action: 'Start' }]);
    await ends();
    const next = await untilAnother(metadata.uid);
    await world.phase('web', 'Running');
    await world.until(async () => (await status())?.stateChangeRequests === undefined);
    await world.settle();
    expect((await world.instance('web'))?.metadata.uid).toBe(next.metadata.uid);
  });
});

describe('a machine that cannot start', () => {
  it('is tried again later and later, and says why', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    let last = await untilMade();
    const waits: number[] = [];
    for (const count of [1, 2]) {
      const at = new Date(world.clock.now()).toISOString();
      const notReady = {
        type: 'Ready',
        status: 'False',
        reason: 'ErrImagePull',
        message: 'no such image',
        lastTransitionTime: at,
      };
      await world.phase('web', 'Failed', { reason: 'ErrImagePull', conditions: [notReady] });
      await untilGoing();
      await world.finish('web');
      await untilGone();
      await untilPrinted('CrashLoopBackOff');
      await world.settle();
      expect(await world.instance('web')).toBeUndefined();
      const { startFailure } = (await status()) ?? {};
      expect(startFailure).toMatchObject({ consecutiveFailCount: count, lastFailedVMIUID: last.metadata.uid });
      expect(await condition('Failure')).toMatchObject({
        reason: 'ErrImagePull',
        message: expect.stringContaining('no such image') as string,
      });
      const wait = Date.parse(startFailure?.retryAfterTimestamp ?? '') - world.clock.now();
      waits.push(wait / 1000);
      await world.clock.advance(wait - 1);
      await world.settle();
      expect(await world.instance('web')).toBeUndefined();
      await world.clock.advance(1);
      last = await untilMade();
    }
    expect(waits[0]).toBeGreaterThanOrEqual(10);
    expect(waits[1]).toBeGreaterThanOrEqual(40);
    expect(world.told.filter((told) => told === 'Warning ErrImagePull')).toHaveLength(2);
    await world.phase('web', 'Running');
    await untilPrinted('Running');
    expect((await status())?.startFailure).toBeUndefined();
    expect(await condition('Failure')).toBeUndefined();
  });

  it('is tried at once when its spec is changed', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    const { metadata } = await untilMade();
    await world.phase('web', 'Failed', { reason: 'ErrImagePull' });
    await untilGoing();
    await world.finish('web');
    await untilPrinted('CrashLoopBackOff');
    await untilGone();
    await world.settle();
    expect(await world.instance('web')).toBeUndefined();
    await world.edit('web', { template: { spec: { hostname: 'mended' } } });
    await untilAnother(metadata.uid);
    expect((await status())?.startFailure).toMatchObject({ consecutiveFailCount: 1 });
  });

  it('says so where a disk shows a volume that is not there, and starts when it is mended', async () => {
    world.control();
    const { volumes: _none, ...spec } = template.spec;
    const disks = [{ name: 'disk0', volumeName: 'mypcv' }];
    const broken = {
      ...spec,
      domain: { ...spec.domain, devices: { ...spec.domain.devices, disks } },
      volumes: [{ name: 'mypvc', persistentVolumeClaim: { claimName: 'myclaim' } }],
    };
    const old = { ...VMS, version: 'v1alpha2' };
    await world.admin.create(old, {
      apiVersion: 'kubevirt.io/v1alpha2',
      metadata: { name: 'web', namespace },
      spec: { running: true, template: { spec: broken } },
    });
    await world.until(async () => (await condition('Failure')) !== undefined);
    expect(await condition('Failure')).toMatchObject({
      reason: 'VolumeNotFound',
      message: expect.stringContaining('disk0 shows volume mypcv') as string,
    });
    expect((await status())?.printableStatus).toBe('Stopped');
    expect(await world.instance('web')).toBeUndefined();
    expect(world.told).toEqual(['Warning VolumeNotFound']);
    await world.edit('web', { template: { spec: { domain: { devices: { disks: [{ name: 'mypvc', disk: {} }] } } } } });
    await untilMade();
    await world.phase('web', 'Running');
    await untilPrinted('Running');
    expect(await condition('Failure')).toBeUndefined();
  });

  it('says what the API server says, and tries again where that may help', async () => {
    let full = true;
    world.control({}, (client) => ({
      ...client,
      create: (type, ...args) =>
        full && type.plural === VMIS.plural
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota'))
          : client.create(type, ...args),
    }));
    await world.make('web', { runStrategy: 'Always' });
    await world.until(async () => (await condition('Failure')) !== undefined);
    expect(await condition('Failure')).toMatchObject({
      reason: 'FailedCreate',
      message: 'Error creating virtual machine instance: exceeded quota',
    });
    full = false;
    await world.clock.advance(60_000);
    await untilMade();
    expect(world.told.filter((told) => told === 'Warning FailedCreate')).toHaveLength(1);
  });

  it('says so where its instance cannot be deleted', async () => {
    let refused = true;
    world.control({}, (client) => ({
      ...client,
      delete: (...args) =>
        refused ? Promise.reject(new KubeError(403, 'Forbidden', 'not yours')) : client.delete(...args),
    }));
    await running();
    await world.edit('web', { runStrategy: 'Halted' });
    await world.until(async () => (await condition('Failure')) !== undefined);
    expect(await condition('Failure')).toMatchObject({
      reason: 'FailedDelete',
      message: 'Error deleting virtual machine instance: not yours',
    });
    refused = false;
    await world.clock.advance(60_000);
    await ends();
    await world.until(async () => (await condition('Failure')) === undefined);
  });

  it('says so where no address is left, and starts when one is', async () => {
    world.control({ addresses: new AddressPool('192.0.2.0/31') });
    await running({ runStrategy: 'Always' }, 'a');
    await running({ runStrategy: 'Always' }, 'b');
    await world.make('web', { runStrategy: 'Always' });
    await world.until(async () => (await condition('Failure')) !== undefined);
    expect(await condition('Failure')).toMatchObject({ reason: 'NoAddressLeft' });
    await world.admin.delete(VMS, 'a', { namespace });
    await ends('a');
    await untilAway('a');
    await world.clock.advance(10_000);
    await untilMade();
    await world.until(async () => (await condition('Failure')) === undefined);
  });
});

describe('a change of a machine that runs', () => {
  it('reaches it where it can, and else waits and is told by name until it is taken back', async () => {
    world.control();
    const { metadata } = await running();
    await world.edit('web', {
      template: { spec: { domain: { cpu: { sockets: 3 } }, nodeSelector: { zone: 'b' }, hostname: 'h' } },
    });
    await world.until(async () => (await world.instance('web'))?.spec.domain.cpu?.sockets === 3);
    expect((await world.instance('web'))?.spec).toMatchObject({ nodeSelector: { zone: 'b' } });
    await world.until(async () => (await condition('RestartRequired')) !== undefined);
    expect(await condition('RestartRequired')).toMatchObject({
      message: expect.stringMatching(/: spec\.template\.spec\.hostname$/) as string,
    });
    expect(await status()).toMatchObject({ observedGeneration: 1, desiredGeneration: 2 });
    await world.edit('web', { template: { spec: { hostname: null } } });
    await world.until(async () => (await condition('RestartRequired')) === undefined);
    expect(await status()).toMatchObject({ observedGeneration: 3, desiredGeneration: 3 });
    expect((await world.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect(world.told).toEqual(['Normal SuccessfulCreate', 'Normal RestartRequired', 'Normal LiveUpdated']);
  });

  it('waits for the next start where changes are staged', async () => {
    world.control({ rollout: 'Stage' });
    const { spec } = await running();
    await world.edit('web', { template: { spec: { domain: { cpu: { sockets: 3 } } } } });
    await world.until(async () => (await condition('RestartRequired')) !== undefined);
    expect((await world.instance('web'))?.spec).toEqual(spec);
  });
});

describe('an instance by the name of a machine', () => {
  const alone = (owners: object[] = []) =>
    world.operator.create(VMIS, {
      metadata: { name: 'web', namespace, labels: template.metadata.labels, ownerReferences: owners as never },
      spec: template.spec,
    });

  it('is taken in where it is nobody’s, and keeps its addresses', async () => {
    world.control();
    const { metadata } = await alone();
    await world.make('web', { runStrategy: 'Always' });
    await world.until(async () => (await world.instance('web'))?.metadata.ownerReferences?.length === 1);
    await world.phase('web', 'Running');
    await untilPrinted('Running');
    expect((await world.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect((await world.instance('web'))?.metadata.annotations).toMatchObject({ 'kubevirt.io/vm-generation': '1' });
    expect(await condition('RestartRequired')).toBeUndefined();
    expect(world.told).toEqual(['Normal Adopted']);
  });

  it('is left alone where it is another’s, and the machine says so until it is gone', async () => {
    world.control();
    await alone([{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }]);
    await world.make('web', { runStrategy: 'Always' });
    await world.until(async () => (await condition('Failure')) !== undefined);
    expect(await condition('Failure')).toMatchObject({ reason: 'InstanceOwnedByOther' });
    expect(await status()).toMatchObject({ created: false, printableStatus: 'Stopped' });
    await world.settle();
    await world.admin.delete(VMIS, 'web', { namespace });
    const made = await untilMade();
    expect(made.metadata.ownerReferences?.[0]?.kind).toBe('VirtualMachine');
    await world.until(async () => (await condition('Failure')) === undefined);
  });
});

describe('the deletion of a machine', () => {
  it('ends its instance first and waits for it', async () => {
    world.control();
    await running();
    await world.admin.delete(VMS, 'web', { namespace });
    await untilPrinted('Terminating');
    await untilGoing();
    await world.settle();
    expect((await world.vm('web')).metadata.deletionTimestamp).toBeDefined();
    await ends();
    await untilAway();
    expect(await world.instance('web')).toBeUndefined();
  });

  it('leaves its instance running where it is asked to, and a machine of that name takes it in again', async () => {
    runGarbageCollector(world);
    world.control();
    const { metadata } = await running();
    const addresses = (await status())?.interfaces;
    await world.admin.delete(VMS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await untilAway();
    await world.settle();
    const orphan = await world.instance('web');
    expect(orphan?.metadata).toMatchObject({ uid: metadata.uid });
    expect(orphan?.metadata.deletionTimestamp).toBeUndefined();
    expect(orphan?.metadata.ownerReferences ?? []).toEqual([]);
    await world.make('web', { running: true });
    await untilPrinted('Running');
    expect((await world.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect((await status())?.interfaces).toEqual(addresses);
  });
});

describe('the addresses of a machine', () => {
  it('stay through restart, also of the controller', async () => {
    const stop = world.control();
    const first = await running();
    const identity = first.metadata.annotations?.['vimana.io/identity'] ?? '';
    expect(JSON.parse(identity)).toMatchObject({
      default: { mac: expect.any(String) as string, ip: expect.stringMatching(/^10\.244\./) as string },
    });
    const addresses = (await status())?.interfaces;
    await world.edit('web', { runStrategy: 'Halted' });
    await ends();
    await untilGone();
    await world.until(async () => (await status())?.created === false);
    await stop();
    world.control();
    await world.edit('web', { runStrategy: 'Always' });
    const next = await untilAnother(first.metadata.uid);
    expect(next.metadata.annotations?.['vimana.io/identity']).toBe(identity);
    await world.phase('web', 'Running');
    await untilPrinted('Running');
    expect((await status())?.interfaces).toEqual(addresses);
  });
});

describe('the controller', () => {
  it('needs one creation and one status for each of many machines', async () => {
    const many = 60;
    for (let i = 0; i < many; i++) await world.make(`vm-${i}`, { runStrategy: 'Always' });
    world.control();
    for (let i = 0; i < many; i++) await untilMade(`vm-${i}`);
    for (let i = 0; i < many; i++) await world.phase(`vm-${i}`, 'Running');
    for (let i = 0; i < many; i++) await untilPrinted('Running', `vm-${i}`);
    await world.clock.advance(1000);
    const count = (write: string) => world.writes.filter((each) => each === write).length;
    expect(count('create VirtualMachineInstance')).toBe(many);
    // Sixteen are few enough to show each step.
    expect(count('update VirtualMachine/status')).toBe(many + 16);
    expect(world.writes).toHaveLength(2 * many + 16);
    const ips = new Set<string>();
    for (let i = 0; i < many; i++) ips.add((await status(`vm-${i}`))?.interfaces?.[0]?.ipAddress ?? '');
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
    await untilMade();
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
    await untilPrinted('Running');
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
    await request([{ action: 'Start' }]);
    await untilMade();
    await stop();
    await world.phase('web', 'Running');
    await world.phase('web', 'Succeeded', { reason: 'GuestShutdown' });
    crashing = false;
    world.control();
    await untilPrinted('Stopped');
    await world.settle();
    expect(world.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
    expect((await status())?.stateChangeRequests).toBeUndefined();
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
    const { metadata } = await running({ runStrategy: 'RerunOnFailure' });
    await world.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await untilGoing();
    await world.finish('web');
    await untilGone();
    await stop();
    world.control();
    await untilAnother(metadata.uid);
    expect(await condition('LastShutdown')).toMatchObject({ reason: 'Error' });
  });

  it('writes nothing about a machine that stays as it is', async () => {
    const stop = world.control();
    await running();
    await world.make('off', { runStrategy: 'Halted' });
    await untilPrinted('Stopped', 'off');
    await world.settle();
    await stop();
    const before = world.writes.length;
    world.control();
    await world.settle();
    await world.clock.advance(3_600_000);
    expect(world.writes.slice(before)).toEqual([]);
  });
});
