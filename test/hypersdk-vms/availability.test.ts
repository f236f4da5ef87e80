import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIMS } from '#api/kubevirt/resources';
import { NODES } from '#platform/kube/kinds/node';
import { ROOT, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.start();
});
afterEach(() => world.stop());

describe('a VM that terminates by itself', () => {
  const highAvailability = { enabled: true, restartDelay: '20s', maxRestarts: 2 };
  const crashing = { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '5s' };

  it('is restarted after a delay, up to the limit, and then only on request', async () => {
    await world.make('web', { highAvailability, annotations: crashing });
    expect(await world.phase('web')).toBe('Running');
    await world.advance(4000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Pending', restartCount: 1 });
    await world.advance(20_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', restartCount: 1 });
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Failed', restartCount: 2 });
    expect(await world.condition('web', 'Ready')).toMatchObject({ status: 'False', reason: 'RestartsExhausted' });
    const told = await world.events('web');
    expect(told.filter((each) => each.startsWith('Restarting: '))).toHaveLength(2);
    expect(told.filter((each) => each.startsWith('RestartsExhausted: '))).toHaveLength(1);
    await world.advance(3_600_000);
    expect(await world.phase('web')).toBe('Failed');

    await world.edit('web', { running: false });
    expect(await world.phase('web')).toBe('Stopped');
    await world.edit('web', { running: true });
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', restartCount: 0 });
  });

  it('stays stopped without high availability, and reports that', async () => {
    await world.make('web', { annotations: crashing });
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Failed', restartCount: 0 });
    expect(await world.condition('web', 'Ready')).toMatchObject({ reason: 'NotRestarted' });
    expect((await world.events('web')).join()).toContain('spec.highAvailability is not enabled');
  });

  it('stays stopped after a shutdown by its guest, if only failures count', async () => {
    const annotations = { 'vimana.io/complete-after': '5s' };
    await world.make('web', { highAvailability: { ...highAvailability, restartPolicy: 'OnFailure' }, annotations });
    await world.advance(60_000);
    expect(await world.phase('web')).toBe('Stopped');
  });

  it('is started on another node, once its own is declared lost', async () => {
    await world.make('web', { highAvailability, disks: [ROOT] });
    const { nodeName } = (await world.vm('web')).status ?? {};
    const body = { metadata: { annotations: { 'vimana.io/freeze': 'true' } } };
    await world.admin.patch(NODES, nodeName ?? '', { type: 'merge', body });
    await world.advance(30_000);
    expect((await world.vm('web')).status?.nodeName).toBe(nodeName);
    await world.advance(60_000);
    const { status } = await world.vm('web');
    expect(status).toMatchObject({ phase: 'Running', restartCount: 1 });
    expect(status?.nodeName).not.toBe(nodeName);
    expect((await world.events('web')).join()).toContain('starting on another node');
  });
});

describe('a VM that has to leave its node', () => {
  const on = (evictionStrategy: string) => ({
    highAvailability: { enabled: true, evictionStrategy, restartDelay: '5s' },
    disks: [ROOT],
  });

  it('is live-migrated', async () => {
    await world.make('web', on('LiveMigrate'));
    const before = (await world.vm('web')).status;
    expect(await world.evict('web')).toBe(429);
    await world.advance(30_000);
    const { status } = await world.vm('web');
    expect(await world.names(VMIMS)).toHaveLength(1);
    expect(status).toMatchObject({ phase: 'Running', restartCount: 0, startTime: before?.startTime });
    expect(status?.nodeName).not.toBe(before?.nodeName);
    expect((await world.events('web')).join()).toContain('waiting for a migration target');
  });

  it('reports that it waits for a node if it is bound to this one, and migrates when there is one', async () => {
    const [here, there] = await world.names(NODES);
    const label = (node: string | undefined) =>
      world.admin.patch(NODES, node ?? '', { type: 'merge', body: { metadata: { labels: { disk: 'fast' } } } });
    await label(here);
    await world.make('web', { ...on('LiveMigrate'), nodeSelector: { disk: 'fast' } });
    const cordon = { spec: { unschedulable: true } };
    await world.admin.patch(NODES, here ?? '', { type: 'merge', body: cordon });
    const uid = (await world.vm('web')).metadata.uid;
    for (let i = 0; i < 4; i++) {
      expect(await world.evict('web')).toBe(429);
      await world.advance(5000);
    }
    const events = async () => (await world.events('web')).filter((each) => each.startsWith('NoOtherNodeFits: '));
    expect(await events()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^NoOtherNodeFits: Cannot evacuate node ${here}: no other node fits the VM. .* the VM is stopped: 0/3 nodes .* node affinity/selector`,
        ),
      ),
    ]);
    const conditions = async () => (await world.admin.list(VMIMS)).items.map(({ status }) => status?.conditions);
    expect(await conditions()).toEqual([
      [expect.objectContaining({ type: 'TargetScheduled', status: 'False', reason: 'Unschedulable' })],
    ]);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', nodeName: here });
    await label(there);
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', nodeName: there, restartCount: 0 });
    expect((await world.vm('web')).metadata.uid).toBe(uid);
    expect(await conditions()).toEqual([[expect.objectContaining({ type: 'TargetScheduled', status: 'True' })]]);
    expect(await events()).toHaveLength(1);
  });

  it('reports beforehand that it cannot if its disks can be used by one node only', async () => {
    const once = { 'hypersdk.io/disk-access-mode': 'ReadWriteOnce' };
    await world.make('web', { ...on('LiveMigrate'), disks: [ROOT] }, once);
    expect(await world.condition('web', 'LiveMigratable')).toMatchObject({
      status: 'False',
      reason: 'DisksNotLiveMigratable',
      message: expect.stringContaining('PVC web-root is not shared') as string,
    });
    const told = (await world.events('web')).filter((each) => each.startsWith('NotLiveMigratable: '));
    expect(told).toEqual([expect.stringContaining('waits until the VM is stopped')]);
    expect(await world.evict('web')).toBe(429);
    await world.make('calm', { ...on('Shutdown'), disks: [ROOT] }, once);
    expect(await world.condition('calm', 'LiveMigratable')).toBeUndefined();
  });

  it('is shut down and started on another node', async () => {
    await world.make('web', on('Shutdown'));
    const before = (await world.vm('web')).status;
    const body = { spec: { unschedulable: true } };
    await world.admin.patch(NODES, before?.nodeName ?? '', { type: 'merge', body });
    expect(await world.evict('web')).toBe(429);
    await world.advance(30_000);
    const { status } = await world.vm('web');
    expect(status).toMatchObject({ phase: 'Running', restartCount: 0 });
    expect(status?.startTime).not.toBe(before?.startTime);
    expect(status?.nodeName).not.toBe(before?.nodeName);
    expect(await world.names(VMIMS)).toEqual([]);
    expect((await world.events('web')).join()).toContain('restarting on another node');
  });

  it('is left to the drain, and restarted like after any other termination', async () => {
    await world.make('web', on('None'));
    expect(await world.evict('web')).toBe(201);
    await world.advance(60_000);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', restartCount: 1 });
  });
});
