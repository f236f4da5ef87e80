import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';
import { startVmHarness, template, type VmHarness } from '#testing/vm-harness';
import { AddressPool } from './address-pool.ts';

let harness: VmHarness;
beforeEach(async () => {
  harness = await startVmHarness();
});
afterEach(() => harness.stop());

const namespace = 'default';

describe('a VM that cannot start', () => {
  it('is retried with increasing delays, and reports why', async () => {
    harness.control();
    await harness.make('web', { runStrategy: 'Always' });
    let last = await harness.untilMade();
    const waits: number[] = [];
    for (const count of [1, 2]) {
      const at = new Date(harness.clock.now()).toISOString();
      const notReady = {
        type: 'Ready',
        status: 'False',
        reason: 'ErrImagePull',
        message: 'no such image',
        lastTransitionTime: at,
      };
      await harness.phase('web', 'Failed', { reason: 'ErrImagePull', conditions: [notReady] });
      await harness.untilGoing();
      await harness.finish('web');
      await harness.waitForDeletion();
      await harness.untilPrinted('CrashLoopBackOff');
      await harness.settle();
      expect(await harness.instance('web')).toBeUndefined();
      const { startFailure } = (await harness.status()) ?? {};
      expect(startFailure).toMatchObject({ consecutiveFailCount: count, lastFailedVMIUID: last.metadata.uid });
      expect(await harness.condition('Failure')).toMatchObject({
        reason: 'ErrImagePull',
        message: expect.stringContaining('no such image') as string,
      });
      const wait = Date.parse(startFailure?.retryAfterTimestamp ?? '') - harness.clock.now();
      waits.push(wait / 1000);
      await harness.clock.advance(wait - 1);
      await harness.settle();
      expect(await harness.instance('web')).toBeUndefined();
      await harness.clock.advance(1);
      last = await harness.untilMade();
    }
    expect(waits[0]).toBeGreaterThanOrEqual(10);
    expect(waits[1]).toBeGreaterThanOrEqual(40);
    expect(harness.told.filter((reported) => reported === 'Warning ErrImagePull')).toHaveLength(2);
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect((await harness.status())?.startFailure).toMatchObject({ consecutiveFailCount: 2 });
    await harness.clock.advance(10_000);
    await harness.until(async () => (await harness.condition('Failure')) === undefined);
    expect((await harness.status())?.startFailure).toMatchObject({ consecutiveFailCount: 2 });
    await harness.clock.advance(290_000);
    await harness.until(async () => (await harness.status())?.startFailure === undefined);
  });

  it('may crash ten seconds after each start', async () => {
    harness.control();
    let { metadata } = await harness.running();
    const waits: number[] = [];
    for (const count of [1, 2, 3]) {
      await harness.clock.advance(10_000);
      await harness.phase('web', 'Failed', { reason: 'GuestCrashed' });
      await harness.untilGoing();
      await harness.finish('web');
      await harness.untilPrinted('CrashLoopBackOff');
      const { startFailure } = (await harness.status()) ?? {};
      expect(startFailure).toMatchObject({ consecutiveFailCount: count, lastFailedVMIUID: metadata.uid });
      const wait = Date.parse(startFailure?.retryAfterTimestamp ?? '') - harness.clock.now();
      waits.push(wait / 1000);
      await harness.clock.advance(wait);
      ({ metadata } = await harness.untilAnother(metadata.uid));
      await harness.phase('web', 'Running');
      await harness.untilPrinted('Running');
    }
    expect(waits.map((wait, at) => wait >= 9 * (at + 1) ** 2)).toEqual([true, true, true]);
  });

  it('may crash right after its start', async () => {
    harness.control();
    const first = await harness.running();
    await harness.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await harness.untilGoing();
    await harness.finish('web');
    await harness.untilPrinted('CrashLoopBackOff');
    await harness.clock.advance(9_000);
    expect(await harness.instance('web')).toBeUndefined();
    await harness.clock.advance(7_000);
    await harness.untilAnother(first.metadata.uid);
    await harness.phase('web', 'Running');
    await harness.clock.advance(2_000);
    await harness.phase('web', 'Failed', { reason: 'GuestCrashed' });
    await harness.untilGoing();
    expect((await harness.status())?.startFailure).toMatchObject({ consecutiveFailCount: 2 });
  });

  it('is retried at once when its spec is changed', async () => {
    harness.control();
    await harness.make('web', { runStrategy: 'Always' });
    const { metadata } = await harness.untilMade();
    await harness.phase('web', 'Failed', { reason: 'ErrImagePull' });
    await harness.untilGoing();
    await harness.finish('web');
    await harness.untilPrinted('CrashLoopBackOff');
    await harness.waitForDeletion();
    await harness.settle();
    expect(await harness.instance('web')).toBeUndefined();
    await harness.edit('web', { template: { spec: { hostname: 'mended' } } });
    await harness.untilAnother(metadata.uid);
    expect((await harness.status())?.startFailure).toMatchObject({ consecutiveFailCount: 1 });
  });

  it('reports a disk whose volume does not exist, and starts when it does', async () => {
    harness.control();
    const { volumes: _none, ...spec } = template.spec;
    const disks = [{ name: 'disk0', volumeName: 'mypcv' }];
    const broken = {
      ...spec,
      domain: { ...spec.domain, devices: { ...spec.domain.devices, disks } },
      volumes: [{ name: 'mypvc', persistentVolumeClaim: { claimName: 'myclaim' } }],
    };
    const old = { ...VMS, version: 'v1alpha2' };
    await harness.admin.create(old, {
      apiVersion: 'kubevirt.io/v1alpha2',
      metadata: { name: 'web', namespace },
      spec: { running: true, template: { spec: broken } },
    });
    await harness.until(async () => (await harness.condition('Failure')) !== undefined);
    expect(await harness.condition('Failure')).toMatchObject({
      reason: 'VolumeNotFound',
      message: expect.stringContaining('disk0 uses volume mypcv') as string,
    });
    expect((await harness.status())?.printableStatus).toBe('Stopped');
    expect(await harness.instance('web')).toBeUndefined();
    expect(harness.told).toEqual(['Warning VolumeNotFound']);
    await harness.edit('web', {
      template: { spec: { domain: { devices: { disks: [{ name: 'mypvc', disk: {} }] } } } },
    });
    await harness.untilMade();
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect(await harness.condition('Failure')).toBeUndefined();
  });

  it('reports the message of the API server, and retries if that may help', async () => {
    let full = true;
    harness.control({}, (client) => ({
      ...client,
      create: (type, ...args) =>
        full && type.plural === VMIS.plural
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota'))
          : client.create(type, ...args),
    }));
    await harness.make('web', { runStrategy: 'Always' });
    await harness.until(async () => (await harness.condition('Failure')) !== undefined);
    expect(await harness.condition('Failure')).toMatchObject({
      reason: 'FailedCreate',
      message: 'Error creating virtual machine instance: exceeded quota',
    });
    full = false;
    await harness.clock.advance(60_000);
    await harness.untilMade();
    expect(harness.told.filter((reported) => reported === 'Warning FailedCreate')).toHaveLength(1);
  });

  it('reports that its instance cannot be deleted', async () => {
    let rejected = true;
    harness.control({}, (client) => ({
      ...client,
      delete: (...args) =>
        rejected ? Promise.reject(new KubeError(403, 'Forbidden', 'not yours')) : client.delete(...args),
    }));
    await harness.running();
    await harness.edit('web', { runStrategy: 'Halted' });
    await harness.until(async () => (await harness.condition('Failure')) !== undefined);
    expect(await harness.condition('Failure')).toMatchObject({
      reason: 'FailedDelete',
      message: 'Error deleting virtual machine instance: not yours',
    });
    rejected = false;
    await harness.clock.advance(60_000);
    await harness.ends();
    await harness.until(async () => (await harness.condition('Failure')) === undefined);
  });

  it('reports that no address is left, and starts when one is', async () => {
    harness.control({ addresses: new AddressPool('192.0.2.0/31') });
    await harness.running({ runStrategy: 'Always' }, 'a');
    await harness.running({ runStrategy: 'Always' }, 'b');
    await harness.make('web', { runStrategy: 'Always' });
    await harness.until(async () => (await harness.condition('Failure')) !== undefined);
    expect(await harness.condition('Failure')).toMatchObject({ reason: 'NoAddressLeft' });
    await harness.admin.delete(VMS, 'a', { namespace });
    await harness.ends('a');
    await harness.untilAway('a');
    await harness.clock.advance(10_000);
    await harness.untilMade();
    await harness.until(async () => (await harness.condition('Failure')) === undefined);
  });
});
