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
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: ALL_DIALECTS });
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 1, memory: '1Gi', disks, networks: [{ name: 'default', macAddress: '02:00:00:00:00:99' }] },
    });
    await harness.clock.advance(10_000);
    harness.writes.length = 0;
  });
  afterEach(() => harness.stop());

  const done = async (name: string, kind: string, spec: object = {}) => {
    await harness.ask(name, 'web', kind, { ...WEB, ...spec });
    return (await harness.over(name)).status;
  };
  const vm = (name = 'web') => harness.admin.get(HYPERSDK_VMS, name, { namespace });
  const files = async (claim: string) => {
    const { metadata } = await harness.admin.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace });
    return parseContents(metadata.annotations?.[DISK_CONTENTS_ANNOTATION])?.files;
  };
  /** Lets the running guest write to its disk. */
  const write = async (text: string) => {
    const body = { metadata: { annotations: { 'vimana.io/guest-write': `/f=${text}` } } };
    await harness.admin.patch(VMIS, 'web.hypersdk', { type: 'merge', body }, { namespace });
    await harness.clock.advance(2000);
    expect((await files('web-root'))?.['/f']?.text).toBe(text);
  };

  it('take a snapshot, and restore it', async () => {
    await write('before');
    harness.writes.length = 0;
    const taken = await done('snap', 'snapshot', {
      snapshotSpec: { name: 'monday', description: 'before the upgrade' },
    });
    expect(taken).toMatchObject({ phase: 'Succeeded', result: { snapshotName: 'monday', includeMemory: false } });
    expect(harness.writes.length, harness.writes.join(', ')).toBeLessThanOrEqual(8);
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
    expect((await harness.operation('back')).metadata.finalizers ?? []).toEqual([]);
  });

  it('block nothing while their snapshot is missing, and regain their order when it exists', async () => {
    await harness.ask('back', 'web', 'restore', { ...WEB, restoreSpec: { snapshotName: 'later' } });
    await harness.ask('copy', 'web', 'clone', { ...WEB, cloneSpec: { targetName: 'past', snapshotRef: 'later' } });
    await harness.clock.advance(5000);
    for (const name of ['back', 'copy'])
      expect((await harness.operation(name)).status).toMatchObject({
        phase: 'Pending',
        message: 'VMSnapshot default/later not found, waiting',
      });
    expect((await done('again', 'restart'))?.phase).toBe('Succeeded');
    expect((await done('take', 'snapshot', { snapshotSpec: { name: 'later' } }))?.phase).toBe('Succeeded');
    for (const name of ['back', 'copy']) expect((await harness.over(name)).status?.phase, name).toBe('Succeeded');
  });

  it('block others while their snapshot is captured, and fail when it is deleted', async () => {
    const disks = [{ name: 'root', size: '1Gi', storageClass: 'fast-ssd' }];
    const spec = { cpus: 1, memory: '1Gi', disks, nodeSelector: { nobody: 'has-it' } };
    await harness.admin.create(HYPERSDK_VMS, { metadata: { name: 'stuck', namespace }, spec });
    await harness.clock.advance(5000);
    // No snapshot is captured of a VM that is about to start.
    await harness.admin.create(VM_SNAPSHOTS, {
      metadata: { name: 'slow', namespace },
      spec: { vmRef: { name: 'stuck' } },
    });
    const stuck = { vmRef: { name: 'stuck' } };
    await harness.ask('back', 'stuck', 'restore', { ...stuck, restoreSpec: { snapshotName: 'slow' } });
    await harness.ask('halt', 'stuck', 'stop', stuck);
    await harness.clock.advance(5000);
    expect((await harness.operation('back')).status?.message).toContain('is not ready');
    expect((await harness.operation('halt')).status?.message).toContain('waiting for VMOperation default/back');
    await harness.admin.delete(VM_SNAPSHOTS, 'slow', { namespace });
    expect((await harness.over('halt', 20_000)).status?.phase).toBe('Succeeded');
    expect((await harness.operation('back')).status).toMatchObject({ phase: 'Failed' });
  });

  it('leave a VM stopped that was stopped before the restore', async () => {
    await done('snap', 'snapshot');
    await done('halt', 'stop');
    expect((await done('back', 'restore', { restoreSpec: { snapshotName: 'snap' } }))?.phase).toBe('Succeeded');
    await harness.clock.advance(5000);
    expect((await vm()).status?.phase).toBe('Stopped');
  });

  it('clone the current state, and that of a snapshot', async () => {
    await write('old');
    await done('snap', 'snapshot');
    await write('new');
    harness.writes.length = 0;
    const now = await done('now', 'clone', { cloneSpec: { targetName: 'web-now', linkedClone: true } });
    expect(now?.phase).toBe('Succeeded');
    await harness.clock.advance(5000);
    // Kubernetes publishes the endpoints of the Service of each VM.
    const own = harness.writes.filter((write) => !write.includes('endpoint'));
    expect(own.length, own.join(', ')).toBeLessThanOrEqual(8);
    const then = await done('then', 'clone', {
      cloneSpec: { targetName: 'web-then', snapshotRef: 'snap', startAfterClone: true },
    });
    expect(then).toMatchObject({ phase: 'Succeeded', result: { targetVM: 'web-then', sourceSnapshot: 'snap' } });
    await harness.clock.advance(10_000);
    expect((await files('web-now-root'))?.['/f']).toMatchObject({ text: 'new', shared: true });
    expect((await files('web-then-root'))?.['/f']?.text).toBe('old');
    expect((await vm('web-now')).spec).toMatchObject({ running: false, networks: [{ name: 'default' }] });
    expect((await vm('web-now')).spec.networks?.[0]).not.toHaveProperty('macAddress');
    expect((await vm('web-then')).status?.phase).toBe('Running');
    await harness.admin.delete(HYPERSDK_VMS, 'web-then', { namespace });
    await harness.clock.advance(10_000);
    const gone = await ignoreNotFound(harness.admin.get(PERSISTENT_VOLUME_CLAIMS, 'web-then-root', { namespace }));
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
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'other', namespace },
      spec: { cpus: 1, memory: '1Gi', disks },
    });
    await harness.clock.advance(5000);
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
    await harness.admin.patch(VMIS, 'web.hypersdk', { type: 'merge', body }, options);
    expect(await done('snap', 'snapshot')).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('migrating to another node') as string,
    });
    expect((await harness.admin.list(VM_SNAPSHOTS, { namespace })).items).toEqual([]);
  });

  it('cancel a restore, and let the VM continue', async () => {
    await done('snap', 'snapshot');
    const slow = { spec: { annotations: { 'vimana.io/shutdown-duration': '20s' } } };
    await harness.admin.patch(HYPERSDK_VMS, 'web', { type: 'merge', body: slow }, { namespace });
    await done('again', 'restart');
    await harness.ask('back', 'web', 'restore', { ...WEB, restoreSpec: { snapshotName: 'snap' } });
    await harness.clock.advance(3000);
    expect((await harness.operation('back')).status?.checkpoint?.step).toBe('Stopping');
    const cancel = { spec: { cancel: true } };
    await harness.admin.patch(OPERATIONS, 'back', { type: 'merge', body: cancel }, { namespace });
    expect((await harness.over('back')).status?.phase).toBe('Cancelled');
    await harness.clock.advance(60_000);
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('clean up what a deleted operation has started', async () => {
    await harness.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { live: false } });
    await harness.clock.advance(100);
    await harness.admin.delete(OPERATIONS, 'move', { namespace });
    await harness.clock.advance(60_000);
    expect(await ignoreNotFound(harness.operation('move'))).toBeUndefined();
    const machine = await vm();
    expect(machine.status?.phase).toBe('Running');
    expect(machine.metadata.annotations ?? {}).not.toHaveProperty('vimana.io/start-away-from');
  });
});
