import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFINITIONS } from '../../kube/kinds/definitions.ts';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../kube/kinds/storage.ts';
import { ifFound } from '../../kube/kube-error.ts';
import { type SnapshotWorld, snapshotWorld } from '../../testing/snapshot-world.ts';
import { VOLUME_SNAPSHOTS } from './volume-snapshots.ts';

const namespace = 'default';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

let world: SnapshotWorld;
beforeEach(async () => {
  world = await snapshotWorld();
  await world.admin.create(STORAGE_CLASSES, { metadata: { name: 'real' }, provisioner: 'csi.example.com' });
  world.nodes();
  world.operate();
});
afterEach(() => world.cluster.stop());

/** The kinds of a CSI snapshot controller, which the test stands in for. */
async function makeKinds(): Promise<void> {
  await world.admin.create(DEFINITIONS, {
    metadata: {
      name: 'volumesnapshots.snapshot.storage.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'https://example.com' },
    },
    spec: {
      group: 'snapshot.storage.k8s.io',
      scope: 'Namespaced',
      names: { plural: 'volumesnapshots', singular: 'volumesnapshot', kind: 'VolumeSnapshot' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
        },
      ],
    },
  });
  await world.cluster.until(() =>
    world.admin.list(VOLUME_SNAPSHOTS).then(
      () => true,
      () => false,
    ),
  );
}

async function tell(name: string, status: object): Promise<void> {
  await world.cluster.until(() => ifFound(world.admin.get(VOLUME_SNAPSHOTS, name, { namespace })));
  const where = { namespace, subresource: 'status' };
  await world.admin.patch(VOLUME_SNAPSHOTS, name, { type: 'merge', body: { status } }, where);
}

describe('disks of a class that is not simulated', () => {
  it('cannot be captured where the cluster makes no VolumeSnapshots, and that is said', async () => {
    await world.machine('db', ['root'], 'real');
    await world.snapshot('s', { vm: 'db' });
    const { status } = await world.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'NotSupported' });
    expect(status?.conditions?.[0]?.message).toMatch(/the disk root cannot be captured: its class is not simulated/);
  });

  it('are captured by VolumeSnapshots, and restored by claims that are made from them', async () => {
    await makeKinds();
    await world.machine('db', ['root', 'data'], 'real');
    await world.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await world.cluster.settle();
    expect((await world.get('s')).status?.phase).toBe('Creating');
    await tell('s-data', { readyToUse: true, restoreSize: '2Gi' });
    const { status } = await world.untilPhase('s', 'Ready');
    expect(status).toMatchObject({
      readyToRestore: true,
      size: '3Gi',
      backingFiles: ['volumesnapshot/s-root', 'volumesnapshot/s-data'],
    });
    const made = await world.admin.get(VOLUME_SNAPSHOTS, 's-root', { namespace });
    expect(made).toMatchObject({ spec: { source: { persistentVolumeClaimName: 'db-root' } } });
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'VMSnapshot', name: 's', controller: true }]);

    await world.askRestore('db', 's', 'op');
    for (const name of ['db-root', 'db-data']) {
      const claim = await world.cluster.until(async () => {
        const found = await ifFound(world.admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace }));
        // Nobody uses it any more.
        if (found?.metadata.deletionTimestamp !== undefined && found.metadata.finalizers !== undefined) {
          const body = { metadata: { finalizers: null } };
          await world.admin.patch(PERSISTENT_VOLUME_CLAIMS, name, { type: 'merge', body }, { namespace });
        }
        return found?.metadata.annotations?.['vimana.io/restored'] === 'op' && found;
      });
      expect(claim.spec).toMatchObject({
        storageClassName: 'real',
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: name.replace('db', 's') },
      });
    }
    expect(await world.restore('db', 's', 'op')).toMatchObject({ 'vimana.io/restored': 'op' });
  });

  it('leave nothing where one of them cannot be captured', async () => {
    await makeKinds();
    await world.machine('db', ['root', 'data'], 'real');
    await world.snapshot('s', { vm: 'db' });
    await tell('s-root', { readyToUse: true, restoreSize: '1Gi' });
    await tell('s-data', { error: { message: 'the array is full' } });
    const { status } = await world.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]?.message).toBe('the array is full; nothing was kept');
    expect((await world.admin.list(VOLUME_SNAPSHOTS, { namespace })).items).toEqual([]);
  });

  it('hold no memory, and that is said', async () => {
    await makeKinds();
    await world.machine('db', ['root'], 'real');
    await world.snapshot('s', { vm: 'db', includeMemory: true });
    const { status } = await world.untilPhase('s', 'Failed');
    expect(status?.conditions?.[0]?.message).toBe(
      'spec.includeMemory: VolumeSnapshots hold disks only; nothing was changed',
    );
  });
});
