import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_SOURCE_ANNOTATION } from '#api/disk/request';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { type SnapshotHarness, snapshotHarness } from '#testing/snapshot-harness';

const DAY = 24 * 3_600_000;
const namespace = 'default';
let world: SnapshotHarness;
beforeEach(async () => {
  world = await snapshotHarness();
});
afterEach(() => world.cluster.stop());

const ready = async (name: string) => (await world.get(name)).status?.conditions?.find(({ type }) => type === 'Ready');
const isGone = (name: string) => world.cluster.until(async () => (await ignoreNotFound(world.get(name))) === undefined);
const copy = (name: string, source: object) =>
  world.admin.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace, annotations: { [DISK_SOURCE_ANNOTATION]: JSON.stringify(source) } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

describe('a missing VM', () => {
  it('is waited for', async () => {
    world.nodes();
    world.operate();
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Pending');
    expect(await ready('s')).toMatchObject({ status: 'False', reason: 'NotFound' });
    expect((await ready('s'))?.message).toMatch(/^VirtualMachine kubevirt.io\/default\/web not found; waiting until/);
    await world.machine('web');
    expect((await world.untilPhase('s', 'Ready')).status?.vmState).toMatchObject({ running: false, diskCount: 1 });
  });

  it('is waited for at most ten minutes', async () => {
    world.operate();
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Pending');
    await world.cluster.clock.advance(600_000);
    const { status } = await world.untilPhase('s', 'Failed');
    expect(status?.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      status: 'True',
      reason: 'NotFound',
    });
    await world.machine('web');
    await world.cluster.settle();
    expect((await world.get('s')).status?.phase).toBe('Failed');
  });
});

describe('a starting VM', () => {
  it('is waited for if its memory is requested, and not for its disks alone', async () => {
    world.nodes();
    await world.machine('web');
    const body = { spec: { runStrategy: 'Always' } };
    await world.admin.patch(VMS, 'web', { type: 'merge', body }, { namespace });
    world.operate();
    await world.snapshot('disks', { vm: 'web' });
    expect((await world.untilPhase('disks', 'Ready')).status?.includesMemory).toBe(false);
    await world.snapshot('all', { vm: 'web', includeMemory: true });
    await world.untilPhase('all', 'Pending');
    expect(await ready('all')).toMatchObject({ status: 'False', reason: 'Starting' });
    await world.start('web');
    expect((await world.untilPhase('all', 'Ready')).status?.includesMemory).toBe(true);
  });
});

describe('snapshots of one VM', () => {
  it('are taken one after the other, in the order of their creation', async () => {
    world.nodes();
    await world.machine('web');
    for (const name of ['a', 'b', 'c']) await world.snapshot(name, { vm: 'web' });
    world.operate();
    const last = await world.untilPhase('c', 'Ready');
    expect(last.status).toMatchObject({ snapshotChain: ['a', 'b'], ordinal: 3, sizeBytes: 0 });
  });

  it('expire by the clock, without requests in between', async () => {
    world.nodes();
    world.operate();
    await world.machine('web');
    await world.snapshot('goes', { vm: 'web', retention: { keepDays: 1 } });
    await world.snapshot('stays', { vm: 'web', retention: { keepDays: 2, autoDelete: false } });
    await world.untilPhase('stays', 'Ready');
    world.writes.length = 0;
    await world.cluster.clock.advance(DAY - 1000);
    await world.cluster.settle();
    expect(world.writes.filter((write) => write.includes('vmsnapshots'))).toEqual([]);
    await world.cluster.clock.advance(1000);
    await isGone('goes');
    await world.cluster.clock.advance(DAY);
    const { status } = await world.untilPhase('stays', 'Expired');
    expect(status).toMatchObject({ readyToRestore: true });
    expect(status).not.toHaveProperty('parentSnapshot');
    const body = { spec: { retention: { keepDays: 90 } } };
    await world.admin.patch(VM_SNAPSHOTS, 'stays', { type: 'merge', body }, { namespace });
    await world.untilPhase('stays', 'Ready');
  });

  it('are retained up to the requested number', async () => {
    world.nodes();
    world.operate();
    await world.machine('web');
    for (const name of ['a', 'b', 'c', 'd']) {
      await world.snapshot(name, { vm: 'web', retention: { keepCount: 2 } });
      await world.untilPhase(name, 'Ready');
      await world.cluster.clock.advance(1000);
    }
    await isGone('b');
    const { items } = await world.admin.list(VM_SNAPSHOTS, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
  });
});

describe('without node agents', () => {
  it('the operator captures and restores by itself', async () => {
    world.operate();
    await world.machine('web');
    await world.admin.patch(
      PERSISTENT_VOLUME_CLAIMS,
      'web-root',
      {
        type: 'merge',
        body: { metadata: { annotations: { 'vimana.io/disk-contents': '{"files":{"/f":{"bytes":1,"digest":"d"}}}' } } },
      },
      { namespace },
    );
    await world.snapshot('s', { vm: 'web', includeMemory: true });
    const { status } = await world.untilPhase('s', 'Ready');
    expect(status).toMatchObject({ sizeBytes: 1, includesMemory: false });
    expect((await ready('s'))?.message).toMatch(/^1 disk was captured; the VM was stopped/);
    expect(await world.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect(await world.disk('web-root')).toMatchObject({ branch: { uid: 'op', on: [{ name: 's' }] } });
  });
});

describe('a node that does not respond', () => {
  it('is given up after a timeout, without a trace', async () => {
    const stop = world.nodes();
    world.operate();
    await world.machine('web');
    await world.start('web');
    await stop();
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Creating');
    await world.cluster.clock.advance(120_000);
    const { status } = await world.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'Timeout' });
    expect(status).not.toHaveProperty('disks');
    world.nodes();
    await world.cluster.settle();
    expect((await world.get('s')).status?.phase).toBe('Failed');
  });
});

describe('a copy of a disk', () => {
  it('is full or linked, of a claim or of a snapshot, and outlives its source', async () => {
    world.nodes();
    world.operate();
    await world.machine('web');
    await world.start('web');
    await world.guestWrites('web', '/f=old');
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Ready');
    await world.guestWrites('web', '/f=newer');
    const until = (claim: string) =>
      world.cluster.until(async () => {
        const { files } = await world.disk(claim);
        return files['/f'];
      });
    world.writes.length = 0;
    await copy('full', { claim: 'web-root' });
    expect(await until('full')).toMatchObject({ text: 'newer' });
    expect(world.writes).toEqual(['patch persistentvolumeclaims full']);
    await copy('linked', { claim: 'web-root', linked: true });
    expect(await until('linked')).toMatchObject({ text: 'newer', shared: true });
    await copy('of-snapshot', { snapshot: 's', disk: 'root', linked: true });
    expect(await until('of-snapshot')).toMatchObject({ text: 'old' });
    await world.remove('s');
    await world.stop('web');
    await world.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(await until('linked')).toMatchObject({ text: 'newer' });
    expect(await until('of-snapshot')).toMatchObject({ text: 'old' });
  });

  it('waits for its source, and a snapshot waits until it is populated', async () => {
    const stop = world.operate();
    await world.machine('web');
    await copy('early', { snapshot: 's' });
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Ready');
    const filled = () =>
      world.cluster.until(async () => {
        const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'early', { namespace });
        return metadata.annotations?.['vimana.io/disk-contents'];
      });
    expect(JSON.parse(await filled())).toEqual({ files: {}, from: 'snapshot default/s' });
    // The copies cannot be created meanwhile.
    await stop();
    const halted = world.operate((client) => ({
      ...client,
      patch: () => Promise.reject(new TypeError('fetch failed')),
    }));
    await copy('late', { snapshot: 's' });
    await world.admin.delete(VM_SNAPSHOTS, 's', { namespace });
    await world.untilPhase('s', 'Deleting');
    await halted();
    world.operate();
    await isGone('s');
    const { metadata } = await world.admin.get(PERSISTENT_VOLUME_CLAIMS, 'late', { namespace });
    expect(metadata.annotations).toHaveProperty(['vimana.io/disk-contents']);
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    world.nodes();
    world.operate();
    await world.machine('web');
    await world.start('web');
    await world.guestWrites('web', '/f=kept');
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Ready');
  });

  it('waits until the VM is stopped', async () => {
    await world.guestWrites('web', '/f=lost');
    await world.askRestore('web', 's', 'op');
    await world.cluster.settle();
    expect((await world.disk('web-root')).files['/f']?.text).toBe('lost');
    await world.stop('web');
    expect(await world.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect((await world.disk('web-root')).files['/f']?.text).toBe('kept');
  });

  it('of another namespace does not reveal its VM, nor that it exists', async () => {
    await world.admin.create(NAMESPACES, { metadata: { name: 'victim' } });
    await world.admin.create(VM_SNAPSHOTS, {
      metadata: { name: 'theirs', namespace: 'victim' },
      spec: { vmRef: { name: 'secret-machine', apiGroup: 'kubevirt.io' } },
    });
    await world.machine('other');
    const request = { snapshot: 'theirs', namespace: 'victim', uid: 'op' };
    const body = { metadata: { annotations: { 'vimana.io/restore': JSON.stringify(request) } } };
    await world.admin.patch(VMS, 'other', { type: 'merge', body }, { namespace: 'default' });
    await world.cluster.clock.advance(700_000);
    const { annotations } = (await world.admin.get(VMS, 'other', { namespace: 'default' })).metadata;
    expect(annotations).toEqual({ 'vimana.io/restore': JSON.stringify(request) });
    expect(world.told.filter((each) => each.startsWith('other '))).toEqual([]);
  });

  it('of another VM is rejected, and changes nothing', async () => {
    await world.machine('other');
    const annotations = await world.restore('other', 's', 'op');
    expect(JSON.parse(annotations['vimana.io/restore-failed'] ?? '')).toMatchObject({
      uid: 'op',
      reason: 'WrongMachine',
    });
    expect(await world.disk('other-root')).toEqual({ files: {} });
  });

  it('of a deleted disk is rejected', async () => {
    await world.stop('web');
    await world.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    const annotations = await world.restore('web', 's', 'op');
    expect(annotations['vimana.io/restore-failed']).toContain('DiskNotFound');
    expect(annotations).not.toHaveProperty(['vimana.io/restored']);
  });
});

describe('a killed operator', () => {
  /** Lets a number of writes through, and none after. */
  const dyingAfter = (count: number) => {
    let left = count;
    return (client: Client): Client =>
      new Proxy(client, {
        get(target, verb: keyof Client) {
          if (verb !== 'update' && verb !== 'patch' && verb !== 'delete') return target[verb];
          return async (...args: unknown[]) => {
            if (left-- <= 0) throw new TypeError('fetch failed');
            return await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
          };
        },
      });
  };

  it.each([0, 1, 2, 3])('after %d writes leaves what the next one completes', async (count) => {
    world.nodes();
    await world.machine('web');
    const stop = world.operate(dyingAfter(count));
    await world.snapshot('s', { vm: 'web', retention: { keepDays: 1 } });
    await world.cluster.settle();
    await stop();
    world.operate();
    await world.untilPhase('s', 'Ready');
    expect(await world.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    await world.cluster.clock.advance(DAY);
    await isGone('s');
  });

  it.each([0, 1, 2])('after %d writes of a restore leaves what the next one completes', async (count) => {
    world.nodes();
    await world.machine('web');
    const first = world.operate();
    await world.snapshot('s', { vm: 'web' });
    await world.untilPhase('s', 'Ready');
    await first();
    const second = world.operate(dyingAfter(count));
    await world.askRestore('web', 's', 'op');
    await world.cluster.settle();
    await second();
    world.operate();
    expect(await world.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect(await world.disk('web-root')).toMatchObject({ branch: { uid: 'op' } });
  });
});
