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
  let world: OperationHarness;
  beforeEach(async () => {
    world = await startOperationHarness({ dialects: ALL_DIALECTS, link: 1e8 });
    await world.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 2, memory: '1Gi', annotations: SLOW_END, disks: [disk('root'), disk('data')] },
    });
    await world.clock.advance(10_000);
  });
  afterEach(() => world.stop());

  const done = async (name: string, kind: string, spec: object = {}) => {
    await world.ask(name, 'web', kind, { ...WEB, ...spec });
    return (await world.over(name)).status;
  };
  const vm = () => world.admin.get(HYPERSDK_VMS, 'web', { namespace });
  const edit = (spec: object) =>
    world.admin.patch(HYPERSDK_VMS, 'web', { type: 'merge', body: { spec } }, { namespace });
  const instance = () => world.admin.get(VMIS, 'web.hypersdk', { namespace });
  const cordon = (names: readonly string[], unschedulable: boolean) =>
    Promise.all(
      names.map((name) => world.admin.patch(NODES, name, { type: 'merge', body: { spec: { unschedulable } } })),
    );
  const nodes = async () => (await world.admin.list(NODES)).items.map(({ metadata }) => metadata.name ?? '');

  it('restore nothing of a snapshot whose disk was deleted, and do not stop the VM for that', async () => {
    await done('snap', 'snapshot');
    await edit({ disks: [disk('root')] });
    await done('again', 'restart');
    await world.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-data', { namespace });
    await world.clock.advance(5000);
    const { uid } = (await instance()).metadata;
    expect(await done('back', 'restore', { restoreSpec: { snapshotName: 'snap' } })).toMatchObject({
      phase: 'Failed',
      message: 'PersistentVolumeClaim default/web-data of disk data no longer exists: nothing has been changed',
    });
    await world.clock.advance(60_000);
    expect((await instance()).metadata.uid).toBe(uid);
  });

  it('start a VM again whose snapshot was deleted before it was restored', async () => {
    await done('snap', 'snapshot');
    await world.ask('back', 'web', 'restore', { ...WEB, restoreSpec: { snapshotName: 'snap' } });
    await world.clock.advance(2000);
    await world.admin.delete(VM_SNAPSHOTS, 'snap', { namespace });
    expect((await world.over('back', 30_000)).status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('the VM, which was stopped for the restore, is starting again') as string,
    });
    await world.clock.advance(60_000);
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
    await world.clock.advance(120_000);
    const other = await done('other', 'restore', back);
    expect(other).toMatchObject({
      phase: 'Succeeded',
      message: expect.stringContaining(
        'the VM has 3 CPUs and 1024Mi of memory, but the snapshot was taken with 2 and 1024Mi',
      ) as string,
      result: { memoryResumed: false },
    });
    await world.clock.advance(5000);
    const told = (await world.admin.list(EVENTS, { namespace })).items;
    expect(told.filter(({ reason }) => reason === 'MemoryNotResumed')).toHaveLength(1);
  });

  it('do not resume the memory of other disks, nor drop a disk in a clone', async () => {
    await done('snap', 'snapshot', { snapshotSpec: { includeMemory: true } });
    const back = { restoreSpec: { snapshotName: 'snap' } };
    const kept = { 'hypersdk.io/retain-disks': 'true' };
    await world.admin.patch(
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
    expect(await ignoreNotFound(world.admin.get(HYPERSDK_VMS, 'copy', { namespace }))).toBeUndefined();
    await edit({ disks: [{ ...disk('root'), size: '2Gi' }, disk('data')] });
    await world.clock.advance(5000);
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
    await world.clock.advance(60_000);
    expect((await vm()).status).toMatchObject({ phase: 'Running', nodeName: here });
  });

  it('cancel a migration with the operation that requested it', async () => {
    const { nodeName: here } = (await instance()).status ?? {};
    await world.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '1Mbps' } });
    await world.clock.advance(10_000);
    expect((await vm()).status?.phase).toBe('Migrating');
    await world.admin.delete(OPERATIONS, 'move', { namespace });
    await world.clock.advance(60_000);
    expect((await world.admin.list(VMIMS, { namespace })).items).toEqual([]);
    expect((await vm()).status).toMatchObject({ phase: 'Running', nodeName: here });
    const next = await done('next', 'migrate');
    expect(next?.phase, next?.message).toBe('Succeeded');
  });

  it('time out although others are before them', async () => {
    await world.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '1Mbps' } });
    await world.clock.advance(3000);
    await world.ask('halt', 'web', 'stop', { ...WEB, timeout: '4s' });
    const before = world.clock.now();
    expect((await world.over('halt')).status).toMatchObject({
      phase: 'Failed',
      message: 'VMOperation default/move (migrate) of the same VM did not finish within 4s: nothing has been changed',
    });
    expect(world.clock.now() - before).toBeLessThan(6000);
  });

  it('leave no incomplete clone behind when they are deleted', async () => {
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'golden', namespace },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'golden' } }];
    const domain = { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'root', disk: {} }] } };
    await world.admin.create(VMS, {
      metadata: { name: 'old', namespace },
      spec: { runStrategy: 'Halted', template: { spec: { domain, volumes } } },
    });
    await world.clock.advance(5000);
    for (const [index, ms] of [0, 10, 20, 50, 100].entries()) {
      const name = `copy-${index}`;
      await world.ask(name, 'old', 'clone', { cloneSpec: { targetName: name } });
      await world.clock.advance(ms);
      await world.admin.delete(OPERATIONS, name, { namespace });
      await world.clock.advance(20_000);
      expect(await ignoreNotFound(world.operation(name))).toBeUndefined();
      const [made, claim] = await Promise.all([
        ignoreNotFound(world.admin.get(VMS, name, { namespace })),
        ignoreNotFound(world.admin.get(PERSISTENT_VOLUME_CLAIMS, `${name}-root`, { namespace })),
      ]);
      expect(made === undefined, `${ms} ms`).toBe(claim === undefined);
    }
  });
});
