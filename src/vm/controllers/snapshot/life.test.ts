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
let harness: SnapshotHarness;
beforeEach(async () => {
  harness = await snapshotHarness();
});
afterEach(() => harness.cluster.stop());

const ready = async (name: string) =>
  (await harness.get(name)).status?.conditions?.find(({ type }) => type === 'Ready');
const isGone = (name: string) =>
  harness.cluster.until(async () => (await ignoreNotFound(harness.get(name))) === undefined);
const copy = (name: string, source: object) =>
  harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace, annotations: { [DISK_SOURCE_ANNOTATION]: JSON.stringify(source) } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

describe('a missing VM', () => {
  it('is waited for', async () => {
    harness.nodes();
    harness.operate();
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Pending');
    expect(await ready('s')).toMatchObject({ status: 'False', reason: 'NotFound' });
    expect((await ready('s'))?.message).toMatch(/^VirtualMachine kubevirt.io\/default\/web not found; waiting until/);
    await harness.machine('web');
    expect((await harness.untilPhase('s', 'Ready')).status?.vmState).toMatchObject({ running: false, diskCount: 1 });
  });

  it('is waited for at most ten minutes', async () => {
    harness.operate();
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Pending');
    await harness.cluster.clock.advance(600_000);
    const { status } = await harness.untilPhase('s', 'Failed');
    expect(status?.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      status: 'True',
      reason: 'NotFound',
    });
    await harness.machine('web');
    await harness.cluster.settle();
    expect((await harness.get('s')).status?.phase).toBe('Failed');
  });
});

describe('a starting VM', () => {
  it('is waited for if its memory is requested, and not for its disks alone', async () => {
    harness.nodes();
    await harness.machine('web');
    const body = { spec: { runStrategy: 'Always' } };
    await harness.admin.patch(VMS, 'web', { type: 'merge', body }, { namespace });
    harness.operate();
    await harness.snapshot('disks', { vm: 'web' });
    expect((await harness.untilPhase('disks', 'Ready')).status?.includesMemory).toBe(false);
    await harness.snapshot('all', { vm: 'web', includeMemory: true });
    await harness.untilPhase('all', 'Pending');
    expect(await ready('all')).toMatchObject({ status: 'False', reason: 'Starting' });
    await harness.start('web');
    expect((await harness.untilPhase('all', 'Ready')).status?.includesMemory).toBe(true);
  });
});

describe('snapshots of one VM', () => {
  it('are taken one after the other, in the order of their creation', async () => {
    harness.nodes();
    await harness.machine('web');
    for (const name of ['a', 'b', 'c']) await harness.snapshot(name, { vm: 'web' });
    harness.operate();
    const last = await harness.untilPhase('c', 'Ready');
    expect(last.status).toMatchObject({ snapshotChain: ['a', 'b'], ordinal: 3, sizeBytes: 0 });
  });

  it('expire by the clock, without requests in between', async () => {
    harness.nodes();
    harness.operate();
    await harness.machine('web');
    await harness.snapshot('goes', { vm: 'web', retention: { keepDays: 1 } });
    await harness.snapshot('stays', { vm: 'web', retention: { keepDays: 2, autoDelete: false } });
    await harness.untilPhase('stays', 'Ready');
    harness.writes.length = 0;
    await harness.cluster.clock.advance(DAY - 1000);
    await harness.cluster.settle();
    expect(harness.writes.filter((write) => write.includes('vmsnapshots'))).toEqual([]);
    await harness.cluster.clock.advance(1000);
    await isGone('goes');
    await harness.cluster.clock.advance(DAY);
    const { status } = await harness.untilPhase('stays', 'Expired');
    expect(status).toMatchObject({ readyToRestore: true });
    expect(status).not.toHaveProperty('parentSnapshot');
    const body = { spec: { retention: { keepDays: 90 } } };
    await harness.admin.patch(VM_SNAPSHOTS, 'stays', { type: 'merge', body }, { namespace });
    await harness.untilPhase('stays', 'Ready');
  });

  it('are retained up to the requested number', async () => {
    harness.nodes();
    harness.operate();
    await harness.machine('web');
    for (const name of ['a', 'b', 'c', 'd']) {
      await harness.snapshot(name, { vm: 'web', retention: { keepCount: 2 } });
      await harness.untilPhase(name, 'Ready');
      await harness.cluster.clock.advance(1000);
    }
    await isGone('b');
    const { items } = await harness.admin.list(VM_SNAPSHOTS, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
  });
});

describe('without node agents', () => {
  it('the operator captures and restores by itself', async () => {
    harness.operate();
    await harness.machine('web');
    await harness.admin.patch(
      PERSISTENT_VOLUME_CLAIMS,
      'web-root',
      {
        type: 'merge',
        body: { metadata: { annotations: { 'vimana.io/disk-contents': '{"files":{"/f":{"bytes":1,"digest":"d"}}}' } } },
      },
      { namespace },
    );
    await harness.snapshot('s', { vm: 'web', includeMemory: true });
    const { status } = await harness.untilPhase('s', 'Ready');
    expect(status).toMatchObject({ sizeBytes: 1, includesMemory: false });
    expect((await ready('s'))?.message).toMatch(/^1 disk was captured; the VM was stopped/);
    expect(await harness.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect(await harness.disk('web-root')).toMatchObject({ branch: { uid: 'op', on: [{ name: 's' }] } });
  });
});

describe('a node that does not respond', () => {
  it('is given up after a timeout, without a trace', async () => {
    const stop = harness.nodes();
    harness.operate();
    await harness.machine('web');
    await harness.start('web');
    await stop();
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Creating');
    await harness.cluster.clock.advance(120_000);
    const { status } = await harness.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'Timeout' });
    expect(status).not.toHaveProperty('disks');
    harness.nodes();
    await harness.cluster.settle();
    expect((await harness.get('s')).status?.phase).toBe('Failed');
  });
});

describe('a copy of a disk', () => {
  it('is full or linked, of a claim or of a snapshot, and outlives its source', async () => {
    harness.nodes();
    harness.operate();
    await harness.machine('web');
    await harness.start('web');
    await harness.guestWrites('web', '/f=old');
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Ready');
    await harness.guestWrites('web', '/f=newer');
    const until = (claim: string) =>
      harness.cluster.until(async () => {
        const { files } = await harness.disk(claim);
        return files['/f'];
      });
    harness.writes.length = 0;
    await copy('full', { claim: 'web-root' });
    expect(await until('full')).toMatchObject({ text: 'newer' });
    expect(harness.writes).toEqual(['patch persistentvolumeclaims full']);
    await copy('linked', { claim: 'web-root', linked: true });
    expect(await until('linked')).toMatchObject({ text: 'newer', shared: true });
    await copy('of-snapshot', { snapshot: 's', disk: 'root', linked: true });
    expect(await until('of-snapshot')).toMatchObject({ text: 'old' });
    await harness.remove('s');
    await harness.stop('web');
    await harness.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    expect(await until('linked')).toMatchObject({ text: 'newer' });
    expect(await until('of-snapshot')).toMatchObject({ text: 'old' });
  });

  it('waits for its source, and a snapshot waits until it is populated', async () => {
    const stop = harness.operate();
    await harness.machine('web');
    await copy('early', { snapshot: 's' });
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Ready');
    const filled = () =>
      harness.cluster.until(async () => {
        const { metadata } = await harness.admin.get(PERSISTENT_VOLUME_CLAIMS, 'early', { namespace });
        return metadata.annotations?.['vimana.io/disk-contents'];
      });
    expect(JSON.parse(await filled())).toEqual({ files: {}, from: 'snapshot default/s' });
    // The copies cannot be created meanwhile.
    await stop();
    const halted = harness.operate((client) => ({
      ...client,
      patch: () => Promise.reject(new TypeError('fetch failed')),
    }));
    await copy('late', { snapshot: 's' });
    await harness.admin.delete(VM_SNAPSHOTS, 's', { namespace });
    await harness.untilPhase('s', 'Deleting');
    await halted();
    harness.operate();
    await isGone('s');
    const { metadata } = await harness.admin.get(PERSISTENT_VOLUME_CLAIMS, 'late', { namespace });
    expect(metadata.annotations).toHaveProperty(['vimana.io/disk-contents']);
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    harness.nodes();
    harness.operate();
    await harness.machine('web');
    await harness.start('web');
    await harness.guestWrites('web', '/f=kept');
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Ready');
  });

  it('waits until the VM is stopped', async () => {
    await harness.guestWrites('web', '/f=lost');
    await harness.askRestore('web', 's', 'op');
    await harness.cluster.settle();
    expect((await harness.disk('web-root')).files['/f']?.text).toBe('lost');
    await harness.stop('web');
    expect(await harness.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect((await harness.disk('web-root')).files['/f']?.text).toBe('kept');
  });

  it('of another namespace does not reveal its VM, nor that it exists', async () => {
    await harness.admin.create(NAMESPACES, { metadata: { name: 'victim' } });
    await harness.admin.create(VM_SNAPSHOTS, {
      metadata: { name: 'theirs', namespace: 'victim' },
      spec: { vmRef: { name: 'secret-machine', apiGroup: 'kubevirt.io' } },
    });
    await harness.machine('other');
    const request = { snapshot: 'theirs', namespace: 'victim', uid: 'op' };
    const body = { metadata: { annotations: { 'vimana.io/restore': JSON.stringify(request) } } };
    await harness.admin.patch(VMS, 'other', { type: 'merge', body }, { namespace: 'default' });
    await harness.cluster.clock.advance(700_000);
    const { annotations } = (await harness.admin.get(VMS, 'other', { namespace: 'default' })).metadata;
    expect(annotations).toEqual({ 'vimana.io/restore': JSON.stringify(request) });
    expect(harness.told.filter((each) => each.startsWith('other '))).toEqual([]);
  });

  it('of another VM is rejected, and changes nothing', async () => {
    await harness.machine('other');
    const annotations = await harness.restore('other', 's', 'op');
    expect(JSON.parse(annotations['vimana.io/restore-failed'] ?? '')).toMatchObject({
      uid: 'op',
      reason: 'WrongMachine',
    });
    expect(await harness.disk('other-root')).toEqual({ files: {} });
  });

  it('of a deleted disk is rejected', async () => {
    await harness.stop('web');
    await harness.admin.delete(PERSISTENT_VOLUME_CLAIMS, 'web-root', { namespace });
    const annotations = await harness.restore('web', 's', 'op');
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
    harness.nodes();
    await harness.machine('web');
    const stop = harness.operate(dyingAfter(count));
    await harness.snapshot('s', { vm: 'web', retention: { keepDays: 1 } });
    await harness.cluster.settle();
    await stop();
    harness.operate();
    await harness.untilPhase('s', 'Ready');
    expect(await harness.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    await harness.cluster.clock.advance(DAY);
    await isGone('s');
  });

  it.each([0, 1, 2])('after %d writes of a restore leaves what the next one completes', async (count) => {
    harness.nodes();
    await harness.machine('web');
    const first = harness.operate();
    await harness.snapshot('s', { vm: 'web' });
    await harness.untilPhase('s', 'Ready');
    await first();
    const second = harness.operate(dyingAfter(count));
    await harness.askRestore('web', 's', 'op');
    await harness.cluster.settle();
    await second();
    harness.operate();
    expect(await harness.restore('web', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect(await harness.disk('web-root')).toMatchObject({ branch: { uid: 'op' } });
  });
});
