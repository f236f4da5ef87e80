import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SnapshotHarness, snapshotHarness } from '#testing/snapshot-harness';

let harness: SnapshotHarness;
beforeEach(async () => {
  harness = await snapshotHarness();
  harness.nodes();
  harness.operate();
});
afterEach(() => harness.cluster.stop());

const textOn = async (claim: string, path = '/f') => (await harness.disk(claim)).files[path]?.text;

describe('a snapshot of a running VM', () => {
  it('is captured by the node agent, in few writes', async () => {
    await harness.machine('web');
    await harness.start('web');
    await harness.guestWrites('web', '/f=hello');
    harness.writes.length = 0;
    await harness.snapshot('s', { vm: 'web' });
    const { status } = await harness.untilPhase('s', 'Ready');
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
    await harness.cluster.settle();
    // With the creation there are four writes.
    expect(harness.writes).toEqual([
      'update vmsnapshots s',
      'update vmsnapshots/status s',
      'update vmsnapshots/status s',
    ]);
  });

  it('restores the contents, through a chain', async () => {
    await harness.machine('web', ['root', 'data']);
    await harness.start('web');
    await harness.guestWrites('web', '[{"path":"/f","text":"one"},{"disk":"data","path":"/big","bytes":"1Ki"}]');
    await harness.snapshot('first', { vm: 'web', includeMemory: true });
    await harness.untilPhase('first', 'Ready');
    await harness.guestWrites('web', '/f=twelve');
    await harness.snapshot('second', { vm: 'web' });
    const second = await harness.untilPhase('second', 'Ready');
    expect(second.status).toMatchObject({ parentSnapshot: 'first', snapshotChain: ['first'], sizeBytes: 6 });
    expect(second.status?.includesMemory).toBe(false);
    expect((await harness.get('first')).status).toMatchObject({ sizeBytes: 2 ** 30 + 1024 + 3, includesMemory: true });
    await harness.stop('web');
    expect(await harness.restore('web', 'first', 'op-1')).toMatchObject({ 'vimana.io/restored': 'op-1' });
    expect(await textOn('web-root')).toBe('one');
    await harness.remove('first');
    const rebased = await harness.cluster.until(async () => {
      const { status } = await harness.get('second');
      return status?.parentSnapshot === undefined && status;
    });
    expect(rebased.sizeBytes).toBe(1024 + 6);
    await harness.restore('web', 'second', 'op-2');
    expect(await textOn('web-root')).toBe('twelve');
  });

  it('keeps the memory of the guest for its next start', async () => {
    await harness.machine('web');
    await harness.start('web', { 'vimana.io/boot-time': '1h' });
    await harness.cluster.clock.advance(2 * 3_600_000);
    await harness.snapshot('s', { vm: 'web', includeMemory: true });
    await harness.untilPhase('s', 'Ready');
    await harness.stop('web');
    await harness.restore('web', 's', 'op');
    const resumed = await harness.start('web', { 'vimana.io/boot-time': '1h' });
    expect(resumed.status?.guestOSInfo).toBeDefined();
    expect(await harness.disk('web-root')).not.toHaveProperty('resume');
  });

  it('is rejected while the VM is being migrated, and changes nothing', async () => {
    await harness.machine('web');
    await harness.start('web');
    const { VMIS } = await import('#api/kubevirt/resources');
    const migrationState = { migrationUid: 'u', targetNode: 'kwok-node-2', sourceNode: 'kwok-node-1' };
    await harness.admin.patch(
      VMIS,
      'web',
      { type: 'merge', body: { status: { migrationState } } },
      { namespace: 'default', subresource: 'status' },
    );
    await harness.snapshot('s', { vm: 'web' });
    const { status } = await harness.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'Migrating' });
    expect(status?.conditions?.[0]?.message).toMatch(/is being migrated to kwok-node-2; .*; nothing was changed/);
    expect(status).not.toHaveProperty('disks');
    expect(harness.told).toContain('s Warning Migrating');
  });
});
