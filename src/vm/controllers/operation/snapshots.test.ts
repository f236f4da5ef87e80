import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMIS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { OPERATIONS } from './operation.ts';

const WEB = { vmRef: { name: 'web' } };

describe('operations on the disks of a VM of hypersdk.io', () => {
  let world: OperationHarness;
  beforeEach(async () => {
    world = await startOperationHarness({ dialects: ALL_DIALECTS });
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 1, memory: '1Gi', disks, networks: [{ name: 'default', macAddress: '02:00:00:00:00:99' }] },
    });
    await world.clock.advance(10_000);
    world.writes.length = 0;
  });
  afterEach(() => world.stop());

  const done = async (name: string, kind: string, spec: object = {}) => {
    await world.ask(name, 'web', kind, { ...WEB, ...spec });
    return (await world.over(name)).status;
  };
  const vm = (name = 'web') => world.admin.get(HYPERSDK_VMS, name, { namespace });
  const files = async (claim: string) => {
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace });
    return parseContents(metadata.annotations?.[DISK_CONTENTS_ANNOTATION])?.files;
  };
  /** Lets the running guest write to its disk. */
  const write = async (text: string) => {
    const body = { metadata: { annotations: { 'vimana.io/guest-write': `/f=${text}` } } };
    await world.admin.patch(VMIS, 'web.hypersdk', { type: 'merge', body }, { namespace });
    await world.clock.advance(2000);
    expect((await files('web-root'))?.['/f']?.text).toBe(text);
  };

  it('take a snapshot, and restore it', async () => {
    await write('before');
    world.writes.length = 0;
    const taken = await done('snap', 'snapshot', {
      snapshotSpec: { name: 'monday', description: 'before the upgrade' },
    });
    expect(taken).toMatchObject({ phase: 'Succeeded', result: { snapshotName: 'monday', includeMemory: false } });
    expect(world.writes.length, world.writes.join(', ')).toBeLessThanOrEqual(8);
    await write('after');
    expect(await done('back', 'restore', { restoreSpec: { snapshotName: 'monday' } })).toMatchObject({
      phase: 'Succeeded',
      result: { snapshotName: 'monday' },
    });
    expect((await files('web-root'))?.['/f']?.text).toBe('before');
    const machine = await vm();
    expect(machine.status?.phase).toBe('Running');
    expect(machine.spec.running).toBe(true);
    expect(machine.metadata.annotations?.['vimana.io/restore']).toBeUndefined();
    expect((await world.operation('back')).metadata.finalizers ?? []).toEqual([]);
  });

  it('block nothing while their snapshot is missing, and regain their order when it exists', async () => {
    await world.ask('back', 'web', 'restore', { ...WEB, restoreSpec: { snapshotName: 'later' } });
    await world.ask('copy', 'web', 'clone', { ...WEB, cloneSpec: { targetName: 'past', snapshotRef: 'later' } });
    await world.clock.advance(5000);
    for (const name of ['back', 'copy'])
      expect((await world.operation(name)).status).toMatchObject({
        phase: 'Pending',
        message: 'VMSnapshot default/later not found, waiting',
      });
    expect((await done('again', 'restart'))?.phase).toBe('Succeeded');
    expect((await done('take', 'snapshot', { snapshotSpec: { name: 'later' } }))?.phase).toBe('Succeeded');
    for (const name of ['back', 'copy']) expect((await world.over(name)).status?.phase, name).toBe('Succeeded');
  });

  it('block others while their snapshot is captured, and fail when it is deleted', async () => {
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    const spec = { cpus: 1, memory: '1Gi', disks, nodeSelector: { nobody: 'has-it' } };
    await world.admin.create(HYPERSDK_VMS, { metadata: { name: 'stuck', namespace }, spec });
    await world.clock.advance(5000);
    // No snapshot is captured of a VM that is about to start.
    await world.admin.create(VM_SNAPSHOTS, {
      metadata: { name: 'slow', namespace },
      spec: { vmRef: { name: 'stuck' } },
    });
    const stuck = { vmRef: { name: 'stuck' } };
    await world.ask('back', 'stuck', 'restore', { ...stuck, restoreSpec: { snapshotName: 'slow' } });
    await world.ask('halt', 'stuck', 'stop', stuck);
    await world.clock.advance(5000);
    expect((await world.operation('back')).status?.message).toContain('is not ready');
    expect((await world.operation('halt')).status?.message).toContain('waiting for VMOperation default/back');
    await world.admin.delete(VM_SNAPSHOTS, 'slow', { namespace });
    expect((await world.over('halt', 20_000)).status?.phase).toBe('Succeeded');
    expect((await world.operation('back')).status).toMatchObject({ phase: 'Failed' });
  });

  it('leave a VM stopped that was stopped before the restore', async () => {
    await done('snap', 'snapshot');
    await done('halt', 'stop');
    expect((await done('back', 'restore', { restoreSpec: { snapshotName: 'snap' } }))?.phase).toBe('Succeeded');
    await world.clock.advance(5000);
    expect((await vm()).status?.phase).toBe('Stopped');
  });

  it('clone the current state, and that of a snapshot', async () => {
    await write('old');
    await done('snap', 'snapshot');
    await write('new');
    world.writes.length = 0;
    const now = await done('now', 'clone', { cloneSpec: { targetName: 'web-now', linkedClone: true } });
    expect(now?.phase).toBe('Succeeded');
    await world.clock.advance(5000);
    expect(world.writes.length, world.writes.join(', ')).toBeLessThanOrEqual(8);
    const then = await done('then', 'clone', {
      cloneSpec: { targetName: 'web-then', snapshotRef: 'snap', startAfterClone: true },
    });
    expect(then).toMatchObject({ phase: 'Succeeded', result: { targetVM: 'web-then', sourceSnapshot: 'snap' } });
    await world.clock.advance(10_000);
    expect((await files('web-now-root'))?.['/f']).toMatchObject({ text: 'new', shared: true });
    expect((await files('web-then-root'))?.['/f']?.text).toBe('old');
    expect((await vm('web-now')).spec).toMatchObject({ running: false, networks: [{ name: 'default' }] });
    expect((await vm('web-now')).spec.networks?.[0]).not.toHaveProperty('macAddress');
    expect((await vm('web-then')).status?.phase).toBe('Running');
    await world.admin.delete(HYPERSDK_VMS, 'web-then', { namespace });
    await world.clock.advance(10_000);
    const gone = await ignoreNotFound(world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-then-root', { namespace }));
    expect(gone).toBeUndefined();
  });

  it('reject what is impossible, and change nothing', async () => {
    await done('snap', 'snapshot');
    const again = await done('again', 'snapshot', { snapshotSpec: { name: 'snap' } });
    expect(again).toMatchObject({
      phase: 'Failed',
      message: 'VMSnapshot default/snap already exists: nothing has been changed',
    });
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'other', namespace },
      spec: { cpus: 1, memory: '1Gi', disks },
    });
    await world.clock.advance(5000);
    const { resourceVersion } = (await vm('other')).metadata;
    const wrong = await done('wrong', 'restore', { vmRef: { name: 'other' }, restoreSpec: { snapshotName: 'snap' } });
    expect(wrong).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('is a snapshot of VirtualMachine.hypersdk.io default/web') as string,
    });
    expect((await vm('other')).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('take no snapshot of a migrating VM', async () => {
    const body = { status: { migrationState: { migrationUid: 'm', targetNode: 'node-3' } } };
    const options = { namespace, subresource: 'status' };
    await world.admin.patch(VMIS, 'web.hypersdk', { type: 'merge', body }, options);
    expect(await done('snap', 'snapshot')).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('migrating to another node') as string,
    });
    expect((await world.admin.list(VM_SNAPSHOTS, { namespace })).items).toEqual([]);
  });

  it('cancel a restore, and let the VM continue', async () => {
    await done('snap', 'snapshot');
    const slow = { spec: { annotations: { 'vimana.io/shutdown-duration': '20s' } } };
    await world.admin.patch(HYPERSDK_VMS, 'web', { type: 'merge', body: slow }, { namespace });
    await done('again', 'restart');
    await world.ask('back', 'web', 'restore', { ...WEB, restoreSpec: { snapshotName: 'snap' } });
    await world.clock.advance(3000);
    expect((await world.operation('back')).status?.checkpoint?.step).toBe('Stopping');
    const cancel = { spec: { cancel: true } };
    await world.admin.patch(OPERATIONS, 'back', { type: 'merge', body: cancel }, { namespace });
    expect((await world.over('back')).status?.phase).toBe('Cancelled');
    await world.clock.advance(60_000);
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('clean up what a deleted operation has started', async () => {
    await world.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { live: false } });
    await world.clock.advance(100);
    await world.admin.delete(OPERATIONS, 'move', { namespace });
    await world.clock.advance(60_000);
    expect(await ignoreNotFound(world.operation('move'))).toBeUndefined();
    const machine = await vm();
    expect(machine.status?.phase).toBe('Running');
    expect(machine.metadata.annotations ?? {}).not.toHaveProperty('vimana.io/start-away-from');
  });
});
