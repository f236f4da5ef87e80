import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { runGarbageCollector } from '#testing/garbage-collector';
import { startVmHarness, template, type VmHarness } from '#testing/vm-harness';

let harness: VmHarness;
beforeEach(async () => {
  harness = await startVmHarness();
});
afterEach(() => harness.stop());

const namespace = 'default';

describe('an instance with the name of a VM', () => {
  const alone = (owners: object[] = []) =>
    harness.operator.create(VMIS, {
      metadata: { name: 'web', namespace, labels: template.metadata.labels, ownerReferences: owners as never },
      spec: template.spec,
    });

  it('is adopted if it has no owner, and keeps its addresses', async () => {
    harness.control();
    const { metadata } = await alone();
    await harness.make('web', { runStrategy: 'Always' });
    await harness.until(async () => (await harness.instance('web'))?.metadata.ownerReferences?.length === 1);
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    expect((await harness.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect((await harness.instance('web'))?.metadata.annotations).toMatchObject({ 'kubevirt.io/vm-generation': '1' });
    expect(await harness.condition('RestartRequired')).toBeUndefined();
    expect(harness.told).toEqual(['Normal Adopted']);
  });

  it('is left alone if it has another owner, and the VM reports that until it is deleted', async () => {
    harness.control();
    await alone([{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }]);
    await harness.make('web', { runStrategy: 'Always' });
    await harness.until(async () => (await harness.condition('Failure')) !== undefined);
    expect(await harness.condition('Failure')).toMatchObject({ reason: 'InstanceOwnedByOther' });
    expect(await harness.status()).toMatchObject({ created: false, printableStatus: 'Stopped' });
    await harness.settle();
    await harness.admin.delete(VMIS, 'web', { namespace });
    const made = await harness.untilMade();
    expect(made.metadata.ownerReferences?.[0]?.kind).toBe('VirtualMachine');
    await harness.until(async () => (await harness.condition('Failure')) === undefined);
  });
});

describe('the deletion of a VM', () => {
  it('ends its instance first and waits for it', async () => {
    harness.control();
    await harness.running();
    await harness.admin.delete(VMS, 'web', { namespace });
    await harness.untilPrinted('Terminating');
    await harness.untilGoing();
    await harness.settle();
    expect((await harness.vm('web')).metadata.deletionTimestamp).toBeDefined();
    await harness.ends();
    await harness.untilAway();
    expect(await harness.instance('web')).toBeUndefined();
  });

  it('can orphan its running instance, and a VM of that name adopts it again', async () => {
    runGarbageCollector(harness);
    harness.control();
    const { metadata } = await harness.running();
    const addresses = (await harness.status())?.interfaces;
    await harness.admin.delete(VMS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await harness.untilAway();
    await harness.settle();
    const orphan = await harness.instance('web');
    expect(orphan?.metadata).toMatchObject({ uid: metadata.uid });
    expect(orphan?.metadata.deletionTimestamp).toBeUndefined();
    expect(orphan?.metadata.ownerReferences ?? []).toEqual([]);
    await harness.make('web', { running: true });
    await harness.untilPrinted('Running');
    expect((await harness.instance('web'))?.metadata.uid).toBe(metadata.uid);
    expect((await harness.status())?.interfaces).toEqual(addresses);
  });

  it('is reported as long as another finalizer holds the VM, with what remains of it', async () => {
    const finalizers = ['x.io/hold'];
    harness.control();
    await harness.make('web', { runStrategy: 'Always' }, { finalizers });
    await harness.untilMade();
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    await harness.admin.delete(VMS, 'web', { namespace });
    await harness.untilGoing();
    await harness.ends();
    await harness.until(async () => (await harness.status())?.created === false);
    expect(await harness.status()).toMatchObject({ printableStatus: 'Terminating', ready: false });
    expect(await harness.condition('Ready')).toMatchObject({ status: 'False', reason: 'VMINotExists' });
    expect((await harness.vm('web')).metadata.finalizers).toEqual(finalizers);
  });

  it('is reported for a stopped VM as well', async () => {
    harness.control();
    await harness.make('web', { runStrategy: 'Halted' }, { finalizers: ['x.io/hold'] });
    await harness.untilPrinted('Stopped');
    await harness.admin.delete(VMS, 'web', { namespace });
    await harness.untilPrinted('Terminating');
  });

  it('leaves a VM with another finalizer without its orphaned instance', async () => {
    runGarbageCollector(harness);
    harness.control();
    await harness.make('web', { runStrategy: 'Always' }, { finalizers: ['x.io/hold'] });
    const { metadata } = await harness.untilMade();
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    await harness.admin.delete(VMS, 'web', { namespace, propagationPolicy: 'Orphan' });
    await harness.until(async () => (await harness.status())?.created === false);
    expect(await harness.status()).toMatchObject({ printableStatus: 'Terminating', ready: false });
    await harness.settle();
    expect((await harness.instance('web'))?.metadata).toMatchObject({ uid: metadata.uid });
    expect((await harness.instance('web'))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
