import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SnapshotHarness, snapshotHarness } from '#testing/snapshot-harness';

let world: SnapshotHarness;
beforeEach(async () => {
  world = await snapshotHarness();
  world.nodes();
  world.operate();
});
afterEach(() => world.cluster.stop());

const textOn = async (claim: string, path = '/f') => (await world.disk(claim)).files[path]?.text;

describe('a snapshot of a running VM', () => {
  it('is captured by the node agent, in few writes', async () => {
    await world.machine('web');
    await world.start('web');
    await world.guestWrites('web', '/f=hello');
    world.writes.length = 0;
    await world.snapshot('s', { vm: 'web' });
    const { status } = await world.untilPhase('s', 'Ready');
    expect(status).toMatchObject({
      readyToRestore: true,
      sizeBytes: 5,
      size: '5',
      vmState: { cpus: 2, memory: '1Gi', diskCount: 1, running: true },
      backingFiles: ['simulated:default/s/root'],
      nodeName: 'kwok-node-1',
    });
    expect(status?.conditions?.map(({ type, status: holds }) => `${type} ${holds}`)).toEqual([
      'Ready True',
      'Quiesced True',
    ]);
    await world.cluster.settle();
    // With the creation there are four writes.
    expect(world.writes).toEqual([
      'update vmsnapshots s',
      'update vmsnapshots/status s',
      'update vmsnapshots/status s',
    ]);
  });

  it('restores the contents, through a chain', async () => {
    await world.machine('web', ['root', 'data']);
    await world.start('web');
    await world.guestWrites('web', '[{"path":"/f","text":"one"},{"disk":"data","path":"/big","bytes":"1Ki"}]');
    await world.snapshot('first', { vm: 'web', includeMemory: true });
    await world.untilPhase('first', 'Ready');
    await world.guestWrites('web', '/f=twelve');
    await world.snapshot('second', { vm: 'web' });
    const second = await world.untilPhase('second', 'Ready');
    expect(second.status).toMatchObject({ parentSnapshot: 'first', snapshotChain: ['first'], sizeBytes: 6 });
    expect(second.status?.includesMemory).toBe(false);
    expect((await world.get('first')).status).toMatchObject({ sizeBytes: 2 ** 30 + 1024 + 3, includesMemory: true });
    await world.stop('web');
    expect(await world.restore('web', 'first', 'op-1')).toMatchObject({ 'vimana.io/restored': 'op-1' });
    expect(await textOn('web-root')).toBe('one');
    await world.remove('first');
    const rebased = await world.cluster.until(async () => {
      const { status } = await world.get('second');
      return status?.parentSnapshot === undefined && status;
    });
    expect(rebased.sizeBytes).toBe(1024 + 6);
    await world.restore('web', 'second', 'op-2');
    expect(await textOn('web-root')).toBe('twelve');
  });

  it('keeps the memory of the guest for its next start', async () => {
    await world.machine('web');
    await world.start('web', { 'vimana.io/boot-time': '1h' });
    await world.cluster.clock.advance(2 * 3_600_000);
    await world.snapshot('s', { vm: 'web', includeMemory: true });
    await world.untilPhase('s', 'Ready');
    await world.stop('web');
    await world.restore('web', 's', 'op');
    const resumed = await world.start('web', { 'vimana.io/boot-time': '1h' });
    expect(resumed.status?.guestOSInfo).toBeDefined();
    expect(await world.disk('web-root')).not.toHaveProperty('resume');
  });

  it('is rejected while the VM is being migrated, and changes nothing', async () => {
    await world.machine('web');
    await world.start('web');
    const { VMIS } = await import('#api/kubevirt/resources');
    const migrationState = { migrationUid: 'u', targetNode: 'kwok-node-2', sourceNode: 'kwok-node-1' };
    await world.admin.patch(
      VMIS,
      'web',
      { type: 'merge', body: { status: { migrationState } } },
      { namespace: 'default', subresource: 'status' },
    );
    await world.snapshot('s', { vm: 'web' });
    const { status } = await world.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'Migrating' });
    expect(status?.conditions?.[0]?.message).toMatch(/is being migrated to kwok-node-2; .*; nothing was changed/);
    expect(status).not.toHaveProperty('disks');
    expect(world.told).toContain('s Warning Migrating');
  });
});
