import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DISK_CONTENTS_ANNOTATION, parseContents } from '#api/disk/contents';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIS } from '#api/kubevirt/resources';
import { type VirtualMachine, virtualMachine } from '#api/novacron/virtual-machine';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';

const MACHINES = resourceTypeFor(virtualMachine);
const WEB = { vmRef: { name: 'web', apiGroup: 'novacron.io' } };

/** Builds a VM as a user writes it. */
function written(more: object = {}, policies: object = {}) {
  const spec = {
    resources: { cpu: 2, memory: '1Gi', disk: '2Gi' },
    image: { source: 'marketplace://debian-12' },
    volumes: [{ name: 'data', size: '1Gi', accessMode: 'ReadWriteMany' }],
    userData: '#cloud-config\n',
    ...more,
  };
  return { template: { metadata: { labels: { app: 'shop' } }, spec }, ...policies };
}

describe('operations on a VM of novacron.io', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: ALL_DIALECTS });
    await harness.admin.create(MACHINES, { metadata: { name: 'web', namespace }, spec: written() });
    await harness.clock.advance(10_000);
  });
  afterEach(() => harness.stop());

  const vm = (name = 'web') => harness.admin.get(MACHINES, name, { namespace });
  const claim = (name: string) => harness.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace });
  const instance = (name = 'web') => harness.admin.get(VMIS, `${name}.novacron`, { namespace });
  const conditionOf = ({ status }: VirtualMachine, type: string) =>
    status?.conditions?.find((each) => each.type === type);
  let requested = 0;
  async function done(operation: string, spec: object = {}, expected = 'Succeeded') {
    const name = `op-${++requested}`;
    await harness.ask(name, 'web', operation, { ...WEB, ...spec });
    const { status } = await harness.over(name);
    expect(status?.phase, status?.message).toBe(expected);
    return status;
  }
  const write = (name: string, files: object) =>
    harness.admin.patch(
      PERSISTENT_VOLUME_CLAIMS,
      name,
      { type: 'merge', body: { metadata: { annotations: { [DISK_CONTENTS_ANNOTATION]: JSON.stringify({ files }) } } } },
      { namespace },
    );

  it('find it running, with its disks and its status', async () => {
    const { status, metadata } = await vm();
    const { metadata: run, status: seen } = await instance();
    expect(status).toMatchObject({
      phase: 'Running',
      nodeName: seen?.nodeName,
      vmID: run.uid,
      ipAddresses: seen?.interfaces?.[0]?.ipAddresses,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'True', reason: 'VMReady' }),
        expect.objectContaining({ type: 'LiveMigratable', status: 'True', reason: 'MigrationCapable' }),
        expect.objectContaining({ type: 'Paused', status: 'False' }),
      ]) as unknown[],
      lastUpdated: expect.any(String) as string,
    });
    expect(conditionOf(await vm(), 'DiskReady')).toBeUndefined();
    const root = await claim('web.novacron-root');
    expect(root.metadata).toMatchObject({
      labels: { vm: 'web', 'novacron.io/vm': 'web' },
      ownerReferences: [{ apiVersion: 'novacron.io/v1alpha1', kind: 'VirtualMachine', uid: metadata.uid }],
    });
    expect(root.spec).toMatchObject({ storageClassName: 'standard', resources: { requests: { storage: '2Gi' } } });
    expect(parseContents(root.metadata.annotations?.[DISK_CONTENTS_ANNOTATION])?.image).toEqual({
      source: 'marketplace://debian-12',
    });
    const { items } = await harness.admin.list(PODS, { namespace, labelSelector: 'vm=web,app=shop' });
    expect(items).toHaveLength(1);
    const before = metadata.resourceVersion;
    await harness.clock.advance(120_000);
    expect((await vm()).metadata.resourceVersion).toBe(before);
  });

  it('stop, start and restart it', async () => {
    const first = (await instance()).metadata.uid;
    await done('restart');
    const second = (await instance()).metadata.uid;
    expect(second).not.toBe(first);
    await done('stop');
    expect((await vm()).spec.running).toBe(false);
    await harness.clock.advance(1000);
    expect((await vm()).status).toMatchObject({ phase: 'Stopped' });
    expect((await vm()).status).not.toHaveProperty('nodeName');
    await done('start');
    await harness.clock.advance(1000);
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('live-migrate it, no faster than its policy allows, and report that', async () => {
    const bandwidth = '80Mbps';
    await harness.admin.patch(
      MACHINES,
      'web',
      { type: 'merge', body: { spec: { migrationPolicy: { bandwidth } } } },
      { namespace },
    );
    await harness.clock.advance(2000);
    expect(conditionOf(await vm(), 'RestartRequired')).toBeUndefined();
    const from = (await vm()).status?.nodeName;
    await harness.ask('move', 'web', 'migrate', { ...WEB, migrateSpec: { bandwidth: '8Gbps' } });
    await harness.clock.advance(5000);
    expect((await vm()).status).toMatchObject({
      phase: 'Migrating',
      migration: { sourceNode: from, state: 'Running' },
    });
    const { status } = await harness.over('move');
    expect(status?.phase, status?.message).toBe('Succeeded');
    await harness.clock.advance(1000);
    const { status: after } = await vm();
    expect(after).toMatchObject({
      phase: 'Running',
      migration: { sourceNode: from, progress: 100, state: 'Succeeded' },
    });
    expect(after?.nodeName).not.toBe(from);
    const { startTime, endTime } = after?.migration ?? {};
    const seconds = (Date.parse(endTime ?? '') - Date.parse(startTime ?? '')) / 1000;
    // The rate is ten megabytes per second, and times are in whole seconds.
    expect((status?.result?.transferredBytes ?? 0) / 10e6).toBeGreaterThan(5);
    expect(seconds).toBeGreaterThan((status?.result?.transferredBytes ?? 0) / 10e6 - 1);
  });

  it('do not live-migrate it if its policy forbids that, and move it by a restart', async () => {
    await harness.admin.patch(
      MACHINES,
      'web',
      { type: 'merge', body: { spec: { migrationPolicy: { allowLiveMigration: false } } } },
      { namespace },
    );
    await harness.clock.advance(2000);
    expect(conditionOf(await vm(), 'LiveMigratable')).toMatchObject({ status: 'False', reason: 'NotAllowed' });
    const from = (await vm()).status?.nodeName;
    const rejected = await done('migrate', {}, 'Failed');
    expect(rejected?.message).toContain('LiveMigrationNotAllowed');
    expect(rejected?.message).toContain('nothing has been changed; set migrateSpec.live to false to stop it');
    expect((await vm()).status?.nodeName).toBe(from);
    await done('migrate', { migrateSpec: { live: false } });
    await harness.clock.advance(2000);
    const { status } = await vm();
    expect(status).toMatchObject({ phase: 'Running' });
    expect(status?.nodeName).not.toBe(from);
    await harness.admin.patch(
      MACHINES,
      'web',
      { type: 'merge', body: { spec: { migrationPolicy: { allowLiveMigration: true } } } },
      { namespace },
    );
    await harness.clock.advance(2000);
    expect(conditionOf(await vm(), 'LiveMigratable')).toMatchObject({ status: 'True' });
  });

  it('resize it', async () => {
    const status = await done('resize', { resizeSpec: { cpus: 4, memory: '2Gi', hotplug: true } });
    expect(status?.result).toMatchObject({ oldCPUs: 2, newCPUs: 4, oldMemory: '1Gi', newMemory: '2Gi' });
    const { spec } = await vm();
    expect(spec.template.spec.resources).toEqual({ cpu: 4, memory: '2Gi', disk: '2Gi' });
    expect(spec.template.spec.volumes).toHaveLength(1);
  });

  it('capture and restore its disks', async () => {
    const file = (text: string) => ({ '/a': { bytes: text.length, digest: text, text } });
    await write('web.novacron-data', file('before'));
    await done('snapshot', { snapshotSpec: { name: 'kept' } });
    const kept = await harness.admin.get(VM_SNAPSHOTS, 'kept', { namespace });
    expect(kept.status).toMatchObject({ phase: 'Ready', vmState: { cpus: 2, memory: '1Gi', running: true } });
    await write('web.novacron-data', file('after'));
    await done('restore', { restoreSpec: { snapshotName: 'kept' } });
    await harness.clock.advance(5000);
    const { annotations } = (await claim('web.novacron-data')).metadata;
    expect(parseContents(annotations?.[DISK_CONTENTS_ANNOTATION])?.files['/a']?.text).toBe('before');
    expect((await vm()).status?.phase).toBe('Running');
  });

  it('clone it, with disks of the same contents and its own addresses', async () => {
    await write('web.novacron-data', { '/a': { bytes: 5, digest: 'd', text: 'hello' } });
    harness.writes.length = 0;
    await done('clone', { cloneSpec: { targetName: 'copy', linkedClone: true } });
    // The claims of its root disk and its volume, and the five writes by which Kubernetes binds each, do not count.
    expect(
      harness.writes.filter((each) => !/persistentvolume/.test(each)).length,
      harness.writes.join(),
    ).toBeLessThanOrEqual(8);
    const { annotations } = (await claim('copy.novacron-data')).metadata;
    expect(parseContents(annotations?.[DISK_CONTENTS_ANNOTATION])?.files['/a']).toMatchObject({
      text: 'hello',
      shared: true,
    });
    expect((await vm('copy')).spec.running).toBe(false);
    await harness.admin.patch(MACHINES, 'copy', { type: 'merge', body: { spec: { running: true } } }, { namespace });
    await harness.clock.advance(10_000);
    const [one, two] = [await instance(), await instance('copy')];
    expect(two.status?.phase).toBe('Running');
    expect(two.status?.interfaces?.[0]?.mac).not.toBe(one.status?.interfaces?.[0]?.mac);
    expect(two.status?.interfaces?.[0]?.ipAddress).not.toBe(one.status?.interfaces?.[0]?.ipAddress);
  });

  it('clone one to another namespace whose disk was copied from a claim, which is not populated again', async () => {
    const [other, golden] = ['team-b', `pvc://${namespace}/web.novacron-data`];
    await harness.admin.create(NAMESPACES, {
      metadata: { name: other, annotations: { 'vimana.io/operations-from': namespace } },
    });
    await write('web.novacron-data', { '/etc/gold': { bytes: 1, digest: 'g' } });
    const spec = written({ image: { source: golden }, volumes: [] });
    await harness.admin.create(MACHINES, { metadata: { name: 'gold', namespace }, spec });
    await harness.clock.advance(10_000);
    const cloneSpec = { targetName: 'copy', targetNamespace: other, startAfterClone: true };
    await done('clone', { vmRef: { ...WEB.vmRef, name: 'gold' }, cloneSpec });
    await harness.clock.advance(10_000);
    const found = () => harness.admin.get(MACHINES, 'copy', { namespace: other });
    const copy = await found();
    expect(copy.status?.phase).toBe('Running');
    const disk = await harness.admin.get(PERSISTENT_VOLUME_CLAIMS, 'copy.novacron-root', { namespace: other });
    expect(parseContents(disk.metadata.annotations?.[DISK_CONTENTS_ANNOTATION])?.files).toHaveProperty(['/etc/gold']);
    await harness.admin.delete(MACHINES, 'copy', { namespace: other });
    await harness.clock.advance(20_000);
    const { annotations = {} } = copy.metadata;
    const forged = { ...annotations, 'vimana.io/disk-sources': '{"root":{"given":true}}' };
    await harness.admin.create(MACHINES, {
      metadata: { name: 'copy', namespace: other, annotations: forged },
      spec: copy.spec,
    });
    await harness.clock.advance(10_000);
    expect((await found()).status?.phase).toBe('Pending');
    expect(conditionOf(await found(), 'Ready')).toMatchObject({
      reason: 'NotFound',
      message: expect.stringContaining(
        'PersistentVolumeClaim copy.novacron-root, referenced by spec.template',
      ) as string,
    });
  });

  it('delete it, and its disks with it', async () => {
    await done('delete');
    await harness.clock.advance(10_000);
    await expect(vm()).rejects.toSatisfy(isNotFound);
    expect((await harness.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace })).items).toEqual([]);
    expect((await harness.admin.list(PODS, { namespace })).items).toEqual([]);
  });

  it('do not affect VMs of other groups with the same name', async () => {
    const spec = { cpus: 1, memory: '1Gi', disks: [{ name: 'root', size: '1Gi' }] };
    const others = ALL_DIALECTS.filter(({ kind }) => kind.group === 'hypersdk.io').map(({ kind }) =>
      resourceTypeFor(kind),
    );
    for (const type of others) await harness.admin.create(type, { metadata: { name: 'web', namespace }, spec });
    await harness.clock.advance(10_000);
    await done('stop');
    await harness.clock.advance(1000);
    expect((await vm()).status?.phase).toBe('Stopped');
    for (const type of others) {
      expect(await harness.admin.get(type, 'web', { namespace })).toMatchObject({ status: { phase: 'Running' } });
    }
  });
});
