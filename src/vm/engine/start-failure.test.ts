import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';
import { startVmHarness, template, type VmHarness } from '#testing/vm-harness';
import { AddressPool } from './address-pool.ts';

let world: VmHarness;
beforeEach(async () => {
  world = await startVmHarness();
});
afterEach(() => world.stop());

const namespace = 'default';

describe('a machine that cannot start', () => {
  it('is tried again later and later, and says why', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    let last = await world.untilMade();
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
      await world.untilGoing();
      await world.finish('web');
      await world.waitForDeletion();
      await world.untilPrinted('CrashLoopBackOff');
      await world.settle();
      expect(await world.instance('web')).toBeUndefined();
      const { startFailure } = (await world.status()) ?? {};
      expect(startFailure).toMatchObject({ consecutiveFailCount: count, lastFailedVMIUID: last.metadata.uid });
      expect(await world.condition('Failure')).toMatchObject({
        reason: 'ErrImagePull',
        message: expect.stringContaining('no such image') as string,
      });
      const wait = Date.parse(startFailure?.retryAfterTimestamp ?? '') - world.clock.now();
      waits.push(wait / 1000);
      await world.clock.advance(wait - 1);
      await world.settle();
      expect(await world.instance('web')).toBeUndefined();
      await world.clock.advance(1);
      last = await world.untilMade();
    }
    expect(waits[0]).toBeGreaterThanOrEqual(10);
    expect(waits[1]).toBeGreaterThanOrEqual(40);
    expect(world.told.filter((told) => told === 'Warning ErrImagePull')).toHaveLength(2);
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    expect((await world.status())?.startFailure).toMatchObject({ consecutiveFailCount: 2 });
    await world.clock.advance(10_000);
    expect((await world.status())?.startFailure).toBeUndefined();
    expect(await world.condition('Failure')).toBeUndefined();
  });

  it('is one that crashes as soon as it runs', async () => {
    world.control();
    const first = await world.running();
    await world.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await world.untilGoing();
    await world.finish('web');
    await world.untilPrinted('CrashLoopBackOff');
    await world.clock.advance(9_000);
    expect(await world.instance('web')).toBeUndefined();
    await world.clock.advance(7_000);
    await world.untilAnother(first.metadata.uid);
    await world.phase('web', 'Running');
    await world.clock.advance(2_000);
    await world.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await world.untilGoing();
    expect((await world.status())?.startFailure).toMatchObject({ consecutiveFailCount: 2 });
  });

  it('is tried at once when its spec is changed', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    const { metadata } = await world.untilMade();
    await world.phase('web', 'Failed', { reason: 'ErrImagePull' });
    await world.untilGoing();
    await world.finish('web');
    await world.untilPrinted('CrashLoopBackOff');
    await world.waitForDeletion();
    await world.settle();
    expect(await world.instance('web')).toBeUndefined();
    await world.edit('web', { template: { spec: { hostname: 'mended' } } });
    await world.untilAnother(metadata.uid);
    expect((await world.status())?.startFailure).toMatchObject({ consecutiveFailCount: 1 });
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
    await world.until(async () => (await world.condition('Failure')) !== undefined);
    expect(await world.condition('Failure')).toMatchObject({
      reason: 'VolumeNotFound',
      message: expect.stringContaining('disk0 uses volume mypcv') as string,
    });
    expect((await world.status())?.printableStatus).toBe('Stopped');
    expect(await world.instance('web')).toBeUndefined();
    expect(world.told).toEqual(['Warning VolumeNotFound']);
    await world.edit('web', { template: { spec: { domain: { devices: { disks: [{ name: 'mypvc', disk: {} }] } } } } });
    await world.untilMade();
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    expect(await world.condition('Failure')).toBeUndefined();
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
    await world.until(async () => (await world.condition('Failure')) !== undefined);
    expect(await world.condition('Failure')).toMatchObject({
      reason: 'FailedCreate',
      message: 'Error creating virtual machine instance: exceeded quota',
    });
    full = false;
    await world.clock.advance(60_000);
    await world.untilMade();
    expect(world.told.filter((told) => told === 'Warning FailedCreate')).toHaveLength(1);
  });

  it('says so where its instance cannot be deleted', async () => {
    let refused = true;
    world.control({}, (client) => ({
      ...client,
      delete: (...args) =>
        refused ? Promise.reject(new KubeError(403, 'Forbidden', 'not yours')) : client.delete(...args),
    }));
    await world.running();
    await world.edit('web', { runStrategy: 'Halted' });
    await world.until(async () => (await world.condition('Failure')) !== undefined);
    expect(await world.condition('Failure')).toMatchObject({
      reason: 'FailedDelete',
      message: 'Error deleting virtual machine instance: not yours',
    });
    refused = false;
    await world.clock.advance(60_000);
    await world.ends();
    await world.until(async () => (await world.condition('Failure')) === undefined);
  });

  it('says so where no address is left, and starts when one is', async () => {
    world.control({ addresses: new AddressPool('192.0.2.0/31') });
    await world.running({ runStrategy: 'Always' }, 'a');
    await world.running({ runStrategy: 'Always' }, 'b');
    await world.make('web', { runStrategy: 'Always' });
    await world.until(async () => (await world.condition('Failure')) !== undefined);
    expect(await world.condition('Failure')).toMatchObject({ reason: 'NoAddressLeft' });
    await world.admin.delete(VMS, 'a', { namespace });
    await world.ends('a');
    await world.untilAway('a');
    await world.clock.advance(10_000);
    await world.untilMade();
    await world.until(async () => (await world.condition('Failure')) === undefined);
  });
});
