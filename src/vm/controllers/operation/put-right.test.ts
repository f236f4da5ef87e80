import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import { EVENTS } from '#platform/kube/kinds/event';
import { NODES } from '#platform/kube/kinds/node';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import { OPERATIONS } from './operation.ts';

const WEB = { vmRef: { name: 'web' } };
const SLOW_END = { 'vimana.io/shutdown-duration': '20s' };
const disk = (name: string) => ({ name, size: '1Gi', storageClass: 'fast-ssd' });

describe('operations that do not end as planned', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: ALL_DIALECTS, link: 1e8 });
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 2, memory: '1Gi', annotations: SLOW_END, disks: [disk('root'), disk('data')] },
    });
    await harness.clock.advance(10_000);
  });
  afterEach(() => harness.stop());

  const done = async (name: string, kind: string, spec: object = {}) => {
    await harness.ask(name, 'web', kind, { ...WEB, ...spec });
    return (await harness.over(name)).status;
  };
  const vm = () => harness.admin.get(HYPERSDK_VMS, 'web', { namespace });
  const edit = (spec: object) =>
    harness.admin.patch(HYPERSDK_VMS, 'web', { type: 'merge', body: { spec } }, { namespace });
  const instance = () => harness.admin.get(VMIS, 'web.hypersdk', { namespace });
  const cordon = (names: readonly string[], unschedulable: boolean) =>
    Promise.all(
      names.map((name) => harness.admin.patch(NODES, name, { type: 'merge', body: { spec: { unschedulable } } })),
    );
  const nodes = async () => (await harness.admin.list(NODES)).items.map(({ metadata }) => metadata.name ?? '');

  it('restore nothing of a snapshot whose disk was deleted, and do not stop the VM for that', async () => {
    await done('snap', 'snapshot');
    await edit({ disks: [disk('root')] });
    await done('again', 'restart');
    await harness.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-data', { namespace });
    await harness.clock.advance(5000);
    const { uid } = (await instance()).metadata;
    expect(await done('back', 'restore', { restoreSpec: { snapshotName: 'snap' } })).toMatchObject({
      phase: 'Failed',
      message: 'PersistentVolumeClaim default/web-data of disk data no longer exists: nothing has been changed',
    });
    await harness.clock.advance(60_000);
    expect((await instance()).metadata.uid).toBe(uid);
  });

  it('start a VM again whose snapshot was deleted before it was restored', async () => {
    await done('snap', 'snapshot');
    await harness.ask('back', 'web', 'restore', { ...WEB, restoreSpec: { snapshotName: 'snap' } });
    await harness.clock.advance(2000);
    await harness.admin.delete(VM_SNAPSHOTS, 'snap', { namespace });
    expect((await harness.over('back', 30_000)).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('the VM, which was stopped for the restore, is starting again') as string,
    });
    await harness.clock.advance(60_000);
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('report whether the VM was resumed from memory after a restore', async () => {
    await done('snap', 'snapshot', { snapshotSpec: { includeMemory: true } });
    const back = { restoreSpec: { snapshotName: 'snap' } };
    expect(await done('same', 'restore', back)).toMatchObject({
      phase: 'Succeeded',
      message: 'the VM is running with the disks of VMSnapshot snap and was resumed from its memory',
      result: { memoryResumed: true },
    });
    await done('larger', 'resize', { resizeSpec: { cpus: 3 } });
    await harness.clock.advance(120_000);
    const other = await done('other', 'restore', back);
    expect(other).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining(
        'the VM has 3 CPUs and 1024Mi of memory, but the snapshot was taken with 2 and 1024Mi',
      ) as string,
      result: { memoryResumed: false },
    });
    await harness.clock.advance(5000);
    const reported = (await harness.admin.list(EVENTS, { namespace })).items;
    expect(reported.filter(({ reason }) => reason === 'MemoryNotResumed')).toHaveLength(1);
  });

  it('do not resume the memory of other disks, nor drop a disk in a clone', async () => {
    await done('snap', 'snapshot', { snapshotSpec: { includeMemory: true } });
    const back = { restoreSpec: { snapshotName: 'snap' } };
    const kept = { 'hypersdk.io/retain-disks': 'true' };
    await harness.admin.patch(
      HYPERSDK_VMS,
      'web',
      { type: 'merge', body: { metadata: { annotations: kept } } },
      { namespace },
    );
    await edit({ disks: [disk('root')] });
    expect(await done('other', 'restore', back)).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining('the VM no longer has disk web-data') as string,
      result: { memoryResumed: false },
    });
    expect(await done('copy', 'clone', { cloneSpec: { targetName: 'copy', snapshotRef: 'snap' } })).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining(
        'VMSnapshot snap has disk data (web-data), which the VM no longer has',
      ) as string,
    });
    expect(await ignoreNotFound(harness.admin.get(HYPERSDK_VMS, 'copy', { namespace }))).toBeUndefined();
    await edit({ disks: [{ ...disk('root'), size: '2Gi' }, disk('data')] });
    await harness.clock.advance(5000);
    expect(await done('grown', 'restore', back)).toMatchObject({
      message: expect.stringContaining(
        'the VM has disk web-root with 2048Mi, which had 1024Mi in the snapshot',
      ) as string,
      result: { memoryResumed: false },
    });
  });

  it('report no memory in a snapshot of a stopped VM', async () => {
    await done('halt', 'stop');
    expect(await done('snap', 'snapshot', { snapshotSpec: { includeMemory: true } })).toMatchObject({
      phase: 'Succeeded',
      result: { includeMemory: false },
    });
  });

  it('start a stopped VM that should be restarted', async () => {
    await done('halt', 'stop');
    expect(await done('again', 'restart')).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringMatching(/^the VM was stopped and is now running on node /) as string,
    });
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('let the scheduler place a VM if its target node does not fit', async () => {
    const { nodeName: here = '' } = (await instance()).status ?? {};
    await cordon(await nodes(), true);
    const target = (await nodes()).find((name) => name !== here) ?? '';
    expect(await done('refused', 'migrate', { migrateSpec: { live: false, targetNode: target } })).toMatchObject({
      phase: 'Failed',
      message: `node ${target} is cordoned: nothing has been changed`,
    });
    expect(await done('away', 'migrate', { migrateSpec: { live: false }, timeout: '40s' })).toMatchObject({
      phase: 'Failed',
    });
    await cordon([here], false);
    await harness.clock.advance(60_000);
    expect((await vm()).status).toMatchObject({ phase: 'Running', nodeName: here });
  });

  it('cancel a migration with the operation that requested it', async () => {
    const { nodeName: here } = (await instance()).status ?? {};
    await harness.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '1Mbps' } });
    await harness.clock.advance(10_000);
    expect((await vm()).status?.phase).toBe('Migrating');
    await harness.admin.delete(OPERATIONS, 'move', { namespace });
    await harness.clock.advance(60_000);
    expect((await harness.admin.list(VMIMS, { namespace })).items).toEqual([]);
    expect((await vm()).status).toMatchObject({ phase: 'Running', nodeName: here });
    const next = await done('next', 'migrate');
    expect(next?.phase, next?.message).toBe('Succeeded');
  });

  it('time out although others are before them', async () => {
    await harness.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '1Mbps' } });
    await harness.clock.advance(3000);
    await harness.ask('halt', 'web', 'stop', { ...WEB, timeout: '4s' });
    const before = harness.clock.now();
    expect((await harness.over('halt')).status).toMatchObject({
      phase: 'Failed',
      message: 'VMOperation default/move (migrate) of the same VM did not finish within 4s: nothing has been changed',
    });
    expect(harness.clock.now() - before).toBeLessThan(6000);
  });

  it('leave no incomplete clone behind when they are deleted', async () => {
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'golden', namespace },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'golden' } }];
    const domain = { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'root', disk: {} }] } };
    await harness.admin.create(VMS, {
      metadata: { name: 'old', namespace },
      spec: { runStrategy: 'Halted', template: { spec: { domain, volumes } } },
    });
    await harness.clock.advance(5000);
    for (const [index, ms] of [0, 10, 20, 50, 100].entries()) {
      const name = `copy-${index}`;
      await harness.ask(name, 'old', 'clone', { cloneSpec: { targetName: name } });
      await harness.clock.advance(ms);
      await harness.admin.delete(OPERATIONS, name, { namespace });
      await harness.clock.advance(20_000);
      expect(await ignoreNotFound(harness.operation(name))).toBeUndefined();
      const [made, claim] = await Promise.all([
        ignoreNotFound(harness.admin.get(VMS, name, { namespace })),
        ignoreNotFound(harness.admin.get(PERSISTENT_VOLUME_CLAIMS, `${name}-root`, { namespace })),
      ]);
      expect(made === undefined, `${ms} ms`).toBe(claim === undefined);
    }
  });
});
