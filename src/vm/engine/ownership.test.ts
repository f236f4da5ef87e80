import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { runGarbageCollector } from '#testing/garbage-collector';
import { startVmHarness, template, type VmHarness } from '#testing/vm-harness';

let world: VmHarness;
beforeEach(async () => {
  world = await startVmHarness();
});
afterEach(() => world.stop());

const namespace = 'default';

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
    await world.untilPrinted('Running');
    expect((await world.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect((await world.instance('web'))?.metadata.annotations).toMatchObject({ 'kubevirt.io/vm-generation': '1' });
    expect(await world.condition('RestartRequired')).toBeUndefined();
    expect(world.told).toEqual(['Normal Adopted']);
  });

  it('is left alone where it is another’s, and the machine says so until it is gone', async () => {
    world.control();
    await alone([{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }]);
    await world.make('web', { runStrategy: 'Always' });
    await world.until(async () => (await world.condition('Failure')) !== undefined);
    expect(await world.condition('Failure')).toMatchObject({ reason: 'InstanceOwnedByOther' });
    expect(await world.status()).toMatchObject({ created: false, printableStatus: 'Stopped' });
    await world.settle();
    await world.admin.delete(VMIS, 'web', { namespace });
    const made = await world.untilMade();
    expect(made.metadata.ownerReferences?.[0]?.kind).toBe('VirtualMachine');
    await world.until(async () => (await world.condition('Failure')) === undefined);
  });
});

describe('the deletion of a machine', () => {
  it('ends its instance first and waits for it', async () => {
    world.control();
    await world.running();
    await world.admin.delete(VMS, 'web', { namespace });
    await world.untilPrinted('Terminating');
    await world.untilGoing();
    await world.settle();
    expect((await world.vm('web')).metadata.deletionTimestamp).toBeDefined();
    await world.ends();
    await world.untilAway();
    expect(await world.instance('web')).toBeUndefined();
  });

  it('leaves its instance running where it is asked to, and a machine of that name takes it in again', async () => {
    runGarbageCollector(world);
    world.control();
    const { metadata } = await world.running();
    const addresses = (await world.status())?.interfaces;
    await world.admin.delete(VMS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await world.untilAway();
    await world.settle();
    const orphan = await world.instance('web');
    expect(orphan?.metadata).toMatchObject({ uid: metadata.uid });
    expect(orphan?.metadata.deletionTimestamp).toBeUndefined();
    expect(orphan?.metadata.ownerReferences ?? []).toEqual([]);
    await world.make('web', { running: true });
    await world.untilPrinted('Running');
    expect((await world.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect((await world.status())?.interfaces).toEqual(addresses);
  });

  it('is told of for as long as somebody else holds the machine, with what is left of it', async () => {
    const finalizers = ['x.io/hold'];
    world.control();
    await world.make('web', { runStrategy: 'Always' }, { finalizers });
    await world.untilMade();
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    await world.admin.delete(VMS, 'web', { namespace });
    await world.untilGoing();
    await world.ends();
    await world.until(async () => (await world.status())?.created === false);
    expect(await world.status()).toMatchObject({ printableStatus: 'Terminating', ready: false });
    expect(await world.condition('Ready')).toMatchObject({ status: 'False', reason: 'VMINotExists' });
    expect((await world.vm('web')).metadata.finalizers).toEqual(finalizers);
  });

  it('is told of a machine that was off, too', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Halted' }, { finalizers: ['x.io/hold'] });
    await world.untilPrinted('Stopped');
    await world.admin.delete(VMS, 'web', { namespace });
    await world.untilPrinted('Terminating');
  });

  it('leaves a machine that somebody holds with nothing, where its instance was to stay', async () => {
    runGarbageCollector(world);
    world.control();
    await world.make('web', { runStrategy: 'Always' }, { finalizers: ['x.io/hold'] });
    const { metadata } = await world.untilMade();
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    await world.admin.delete(VMS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await world.until(async () => (await world.status())?.created === false);
    expect(await world.status()).toMatchObject({ printableStatus: 'Terminating', ready: false });
    await world.settle();
    expect((await world.instance('web'))?.metadata).toMatchObject({ uid: metadata.uid });
    expect((await world.instance('web'))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
