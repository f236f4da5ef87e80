import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { timestamp } from '#platform/base/timestamp';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { type SnapshotHarness, snapshotHarness } from '#testing/snapshot-harness';
import { VOLUME_SNAPSHOT_CLASSES } from './volume-snapshot-class.ts';
import { VOLUME_SNAPSHOTS } from './volume-snapshots.ts';

const DRIVER = 'csi.example.com';
const namespace = 'default';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

let harness: SnapshotHarness;
let stopOperator: () => Promise<void>;
beforeEach(async () => {
  harness = await snapshotHarness();
  await harness.admin.create(STORAGE_CLASSES, { metadata: { name: 'real' }, provisioner: DRIVER });
  await harness.admin.create(STORAGE_CLASSES, {
    metadata: { name: 'late' },
    provisioner: DRIVER,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  harness.nodes();
  stopOperator = harness.operate();
});
afterEach(() => harness.cluster.stop());

/** Creates the CRDs of a CSI snapshot controller, which the test simulates, and its classes. */
async function makeKinds(classes: readonly string[] = ['usual']): Promise<void> {
  for (const { plural, kind, namespaced } of [VOLUME_SNAPSHOTS, VOLUME_SNAPSHOT_CLASSES]) {
    const properties = { spec: anything, status: anything, driver: { type: 'string' } };
    await harness.admin.create(CUSTOM_RESOURCE_DEFINITIONS, {
      metadata: {
        name: `${plural}.snapshot.storage.k8s.io`,
        annotations: { 'api-approved.kubernetes.io': 'https://example.com' },
      },
      spec: {
        group: 'snapshot.storage.k8s.io',
        scope: namespaced ? 'Namespaced' : 'Cluster',
        names: { plural, singular: kind.toLowerCase(), kind },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', properties } },
          },
        ],
      },
    });
  }
  await harness.cluster.until(() =>
    Promise.all([harness.admin.list(VOLUME_SNAPSHOTS), harness.admin.list(VOLUME_SNAPSHOT_CLASSES)]).then(
      () => true,
      () => false,
    ),
  );
  for (const name of classes)
    await harness.admin.create(VOLUME_SNAPSHOT_CLASSES, { metadata: { name }, driver: DRIVER });
}

const claimOf = (name: string) => ignoreNotFound(harness.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace }));

/** Binds a claim to a volume, as a provisioner would. */
async function bind(claim: string, source: object = { csi: { driver: DRIVER, volumeHandle: claim } }): Promise<void> {
  const { metadata, spec } = await harness.cluster.until(() => claimOf(claim));
  const name = `volume-of-${claim}-${metadata.uid}`;
  const capacity = { storage: '1Gi' };
  const accessModes = spec.accessModes ?? [];
  await harness.admin.create(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      capacity,
      accessModes,
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { namespace, name: claim },
      ...source,
    },
  });
  const change = (body: object, where: object = {}) =>
    harness.admin.patch(PERSISTENT_VOLUME_CLAIMS, claim, { type: 'merge', body }, { namespace, ...where });
  await change({ spec: { volumeName: name } });
  await change({ status: { phase: 'Bound', capacity, accessModes } }, { subresource: 'status' });
}

/** Returns the reclaim policy of a volume. */
async function policyOf(volume: string): Promise<string | undefined> {
  return (await harness.admin.get(PERSISTENT_VOLUMES, volume)).spec.persistentVolumeReclaimPolicy;
}

/** Creates a VM whose disks have volumes. */
async function vm(disks: readonly string[]): Promise<void> {
  await harness.machine('db', disks, 'real');
  for (const disk of disks) await bind(`db-${disk}`);
}

const volumeSnapshot = (name: string) => ignoreNotFound(harness.admin.get(VOLUME_SNAPSHOTS, name, { namespace }));

async function tell(name: string, status: object): Promise<void> {
  await harness.cluster.until(() => volumeSnapshot(name));
  const where = { namespace, subresource: 'status' };
  await harness.admin.patch(VOLUME_SNAPSHOTS, name, { type: 'merge', body: { status } }, where);
}

/** Returns the message of a failed snapshot. */
async function failure(name: string): Promise<string | undefined> {
  return (await harness.untilPhase(name, 'Failed')).status?.conditions?.find(({ type }) => type === 'Failed')?.message;
}

/** Releases a terminating claim and returns the next one of its name. */
const recreatedClaim = (name: string, restore: string) =>
  harness.cluster.until(async () => {
    const found = await claimOf(name);
    if (found?.metadata.deletionTimestamp !== undefined && found.metadata.finalizers !== undefined) {
      const body = { metadata: { finalizers: null } };
      await harness.admin.patch(PERSISTENT_VOLUME_CLAIMS, name, { type: 'merge', body }, { namespace });
    }
    return found?.metadata.annotations?.['vimana.io/restored'] === restore && found;
  });

describe('disks of a class that is not simulated', () => {
  it('cannot be captured if the cluster has no VolumeSnapshots, which is reported', async () => {
    await harness.machine('db', ['root'], 'real');
    await harness.snapshot('s', { vm: 'db' });
    const { status } = await harness.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'NotSupported' });
    expect(status?.conditions?.[0]?.message).toMatch(
      /disk root cannot be captured: its storage class is not simulated/,
    );
  });

  it('are captured by VolumeSnapshots, and restored by claims that are created from them', async () => {
    await makeKinds();
    await vm(['root', 'data']);
    await harness.snapshot('s', { vm: 'db' });
    const creationTime = '2020-01-01T00:00:07Z';
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi', creationTime: '2020-01-01T00:00:03Z' });
    await harness.cluster.settle();
    expect((await harness.get('s')).status?.phase).toBe('Creating');
    await tell('s-data', { readyToUse: true, restoreSize: '2Gi', creationTime });
    const { status } = await harness.untilPhase('s', 'Ready');
    expect(status).toMatchObject({
      readyToRestore: true,
      size: '3Gi',
      creationTime,
      backingFiles: ['volumesnapshot/s-root', 'volumesnapshot/s-data'],
    });
    const made = await harness.admin.get(VOLUME_SNAPSHOTS, 's-root', { namespace });
    expect(made).toMatchObject({
      spec: { source: { persistentVolumeClaimName: 'db-root' }, volumeSnapshotClassName: 'usual' },
    });
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'VMSnapshot', name: 's', controller: true }]);

    const former = (await claimOf('db-root'))?.spec.volumeName ?? '';
    await harness.askRestore('db', 's', 'op');
    for (const [name, storage] of [
      ['db-root', '1Gi'],
      // The volume is larger than requested.
      ['db-data', '2Gi'],
    ] as const) {
      expect((await recreatedClaim(name, 'op')).spec).toMatchObject({
        storageClassName: 'real',
        resources: { requests: { storage } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: name.replace('db', 's') },
      });
    }
    await bind('db-root');
    await harness.cluster.settle();
    expect((await harness.get('s')).status?.restore).toMatchObject({ uid: 'op' });
    expect((await harness.get('s')).status?.restore?.completed).toBeUndefined();
    expect(await policyOf(former)).toBe('Retain');
    await bind('db-data');
    expect(await harness.restore('db', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect(await policyOf(former)).toBe('Delete');
  });

  it('are the only claims that a forged status can recreate, retain or delete, in the namespace of the VM', async () => {
    await makeKinds();
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await harness.untilPhase('s', 'Ready');
    await stopOperator();
    await harness.admin.create(NAMESPACES, { metadata: { name: 'victim' } });
    const capacity = { storage: '1Gi' };
    await harness.admin.create(PERSISTENT_VOLUMES, {
      metadata: { name: 'foreign' },
      spec: {
        capacity,
        accessModes: ['ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'victim', name: 'data' },
        csi: { driver: DRIVER, volumeHandle: 'foreign' },
      },
    });
    const spec = { accessModes: ['ReadWriteMany'], resources: { requests: capacity } };
    const claims = [
      {
        metadata: { name: 'db-root', namespace: 'victim' },
        spec: { ...spec, volumeName: 'foreign' },
        volume: 'foreign',
      },
      { metadata: { name: 'stolen', namespace: 'victim' }, spec: { ...spec, volumeName: 'foreign' } },
    ];
    const startTime = timestamp(harness.cluster.clock.now());
    const restore = { uid: 'op', startTime, claims: JSON.stringify(claims) };
    const where = { namespace, subresource: 'status' };
    await harness.admin.patch(VM_SNAPSHOTS, 's', { type: 'merge', body: { status: { restore } } }, where);
    await harness.askRestore('db', 's', 'op');
    stopOperator = harness.operate();
    const { spec: made } = await recreatedClaim('db-root', 'op');
    expect(made.volumeName).toBeUndefined();
    expect(made.dataSource).toMatchObject({ kind: 'VolumeSnapshot', name: 's-root' });
    await bind('db-root');
    expect(await harness.restore('db', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
    expect((await harness.admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'victim' })).items).toEqual([]);
    expect(await policyOf('foreign')).toBe('Retain');
  });

  it('are unchanged if a VolumeSnapshot to restore was deleted', async () => {
    await makeKinds();
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await harness.untilPhase('s', 'Ready');
    await harness.admin.delete(VOLUME_SNAPSHOTS, 's-root', { namespace });
    const uid = (await claimOf('db-root'))?.metadata.uid;
    const { 'vimana.io/restore-failed': said } = await harness.restore('db', 's', 'op');
    expect(said).toContain('VolumeSnapshot s-root of disk root not found or not ready; the disks are unchanged');
    expect((await claimOf('db-root'))?.metadata).toMatchObject({ uid });
  });

  it('retain their previous volumes if the storage creates no others, and report which', async () => {
    await makeKinds();
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await harness.untilPhase('s', 'Ready');
    const former = (await claimOf('db-root'))?.spec.volumeName ?? '';
    await harness.askRestore('db', 's', 'op');
    await recreatedClaim('db-root', 'op');
    await harness.cluster.clock.advance(600_000);
    const { 'vimana.io/restore-failed': said } = await harness.restore('db', 's', 'op');
    expect(said).toContain(
      'the storage did not create a volume from the snapshot within 600s for PersistentVolumeClaim db-root',
    );
    expect(said).toContain(`the previous contents of the disks are retained on PersistentVolume ${former}`);
    expect(await policyOf(former)).toBe('Retain');
  });

  it('are restored by another operator if the first stops between deleted and created claims', async () => {
    await makeKinds();
    await vm(['root', 'data']);
    await harness.snapshot('s', { vm: 'db' });
    for (const name of ['s-root', 's-data']) await tell(name, { readyToUse: true, restoreSize: '1Gi' });
    await harness.untilPhase('s', 'Ready');
    await harness.askRestore('db', 's', 'op');
    await harness.cluster.until(async () => (await claimOf('db-data'))?.metadata.deletionTimestamp !== undefined);
    await stopOperator();
    for (const name of ['db-root', 'db-data']) {
      const body = { metadata: { finalizers: null } };
      await harness.admin.patch(PERSISTENT_VOLUME_CLAIMS, name, { type: 'merge', body }, { namespace });
    }
    await harness.cluster.settle();
    expect(await claimOf('db-root')).toBeUndefined();
    harness.operate();
    for (const name of ['db-root', 'db-data']) {
      await recreatedClaim(name, 'op');
      await bind(name);
    }
    expect(await harness.restore('db', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
  });

  it('are protected by a deleted snapshot until all volumes are created from it', async () => {
    await makeKinds();
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await harness.untilPhase('s', 'Ready');
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: 'copy', namespace },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'late',
        resources: { requests: { storage: '1Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's-root' },
      },
    });
    await harness.admin.delete(VM_SNAPSHOTS, 's', { namespace });
    await harness.untilPhase('s', 'Deleting');
    await harness.cluster.settle();
    expect((await harness.get('s')).status?.phase).toBe('Deleting');
    await bind('copy');
    await harness.cluster.until(async () => (await ignoreNotFound(harness.get('s'))) === undefined);
  });

  it('leave nothing if one of them cannot be captured for a minute', async () => {
    await makeKinds();
    await vm(['root', 'data']);
    await harness.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    const { startTime = '' } = (await harness.untilPhase('s', 'Creating')).status ?? {};
    await tell('s-data', { error: { message: 'the array is full', time: startTime } });
    await harness.cluster.clock.advance(55_000);
    await harness.cluster.settle();
    expect((await harness.get('s')).status?.phase).toBe('Creating');
    await harness.cluster.clock.advance(5000);
    expect(await failure('s')).toBe('the array is full; no snapshot was stored');
    expect((await harness.admin.list(VOLUME_SNAPSHOTS, { namespace })).items).toEqual([]);
  });

  it('are captured despite a temporary error', async () => {
    await makeKinds();
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db' });
    await harness.untilPhase('s', 'Creating');
    await tell('s-root', { error: { message: 'busy', time: new Date(harness.cluster.clock.now()).toISOString() } });
    await harness.cluster.until(async () =>
      (await harness.get('s')).status?.conditions?.[0]?.message?.includes('busy'),
    );
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi', error: null });
    expect((await harness.untilPhase('s', 'Ready')).status?.size).toBe('1Gi');
  });

  it('are waited for while they have no volume', async () => {
    await makeKinds();
    await harness.machine('db', ['root'], 'late');
    await harness.snapshot('s', { vm: 'db' });
    const { status } = await harness.untilPhase('s', 'Pending');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'DiskNotReady' });
    await bind('db-root');
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await harness.untilPhase('s', 'Ready');
  });

  it.each([
    { given: 'no class', classes: [], said: /driver csi\.example\.com has no VolumeSnapshotClass; nothing/ },
    { given: 'two classes', classes: ['a', 'b'], said: /VolumeSnapshotClasses a, b, and none is marked/ },
  ])('are not captured if their driver has $given', async ({ classes, said }) => {
    await makeKinds(classes);
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db' });
    expect(await failure('s')).toMatch(said);
    expect((await harness.admin.list(VOLUME_SNAPSHOTS, { namespace })).items).toEqual([]);
  });

  it('are not captured if no CSI driver has created their volume', async () => {
    await makeKinds();
    await harness.machine('db', ['root'], 'real');
    await bind('db-root', { nfs: { server: 'files.example.com', path: '/' } });
    await harness.snapshot('s', { vm: 'db' });
    expect(await failure('s')).toMatch(/disk root cannot be captured: PersistentVolume \S+ has no CSI driver/);
  });

  it('ignore a VolumeSnapshot of another owner with the same name', async () => {
    await makeKinds();
    await vm(['root']);
    const source = { persistentVolumeClaimName: 'other' };
    await harness.admin.create(VOLUME_SNAPSHOTS, { metadata: { name: 's-root', namespace }, spec: { source } });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await harness.snapshot('s', { vm: 'db' });
    expect(await failure('s')).toBe(
      'VolumeSnapshot s-root already exists and belongs to another owner; no snapshot was stored',
    );
    expect(await volumeSnapshot('s-root')).toMatchObject({ spec: { source } });
  });

  it('are not captured if the cluster rejects a VolumeSnapshot, and report why', async () => {
    await makeKinds();
    await vm(['root']);
    const name = 's'.repeat(250);
    await harness.snapshot(name, { vm: 'db' });
    expect(await failure(name)).toMatch(
      /^disk root cannot be captured: .*no more than 253 .*; no snapshot was stored$/,
    );
  });

  it('include no memory, which is reported', async () => {
    await makeKinds();
    await vm(['root']);
    await harness.snapshot('s', { vm: 'db', includeMemory: true });
    expect(await failure('s')).toBe('spec.includeMemory: VolumeSnapshots can only include disks; nothing was changed');
  });
});
