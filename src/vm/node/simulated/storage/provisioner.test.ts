import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolumeClaim,
  STORAGE_CLASSES,
  type StorageClass,
} from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { type Cluster, startCluster } from '#testing/cluster';
import { runVolumeControllers } from '#testing/kubernetes-controllers';
import { volumeFor } from './plan.ts';
import { simulatedProvisioner, simulatedReclaimer } from './provisioner.ts';
import { ensureStorageClasses, SIMULATED_CLASSES } from './storage-classes.ts';

const [standard, waiting] = SIMULATED_CLASSES as readonly StorageClass[];
const claimOf = (change: object = {}, annotations: Record<string, string> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'c',
    namespace: 'n',
    uid: 'u',
    annotations: { 'volume.kubernetes.io/storage-provisioner': 'vimana.io/simulated', ...annotations },
  },
  spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '7Gi' } }, ...change },
});

describe('the volume for a claim', () => {
  it('has the requested size, is reserved for the claim, and is usable from every node', () => {
    expect(volumeFor(claimOf(), standard)).toMatchObject({
      metadata: { name: 'pvc-u' },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '7Gi' },
        claimRef: { namespace: 'n', name: 'c', uid: 'u' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'standard',
      },
    });
    expect(volumeFor(claimOf(), standard)).not.toHaveProperty('spec.nodeAffinity');
  });

  it('waits for a node if its class does', () => {
    expect(volumeFor(claimOf(), waiting)).toBeUndefined();
    expect(volumeFor(claimOf({}, { 'volume.kubernetes.io/selected-node': 'x' }), waiting)).toBeDefined();
  });

  it.each<[string, PersistentVolumeClaim]>([
    ['has a volume', claimOf({ volumeName: 'v' })],
    ['selects its volume by labels', claimOf({ selector: {} })],
    ['has another provisioner', claimOf({}, { 'volume.kubernetes.io/storage-provisioner': 'example.com/other' })],
    ['is terminating', { ...claimOf(), metadata: { ...claimOf().metadata, deletionTimestamp: 'now' } }],
  ])('is not created for one that %s', (_what, claim) => {
    expect(volumeFor(claim, standard)).toBeUndefined();
  });

  it('is not created for a class of another provisioner, or without a class', () => {
    expect(volumeFor(claimOf(), undefined)).toBeUndefined();
    const other = { ...standard, provisioner: 'example.com/other' } as StorageClass;
    expect(volumeFor(claimOf(), other)).toBeUndefined();
  });
});

describe('a cluster with simulated storage', () => {
  let cluster: Cluster;
  let admin: Client;
  const reclaimed: string[] = [];
  const deleted: string[] = [];
  beforeEach(async () => {
    cluster = await startCluster();
    ({ admin } = cluster);
    reclaimed.length = 0;
    await ensureStorageClasses(admin);
    await ensureStorageClasses(admin);
    runVolumeControllers(cluster, (parts) => [
      runnable(simulatedProvisioner, parts),
      runnable(
        simulatedReclaimer(
          (namespace, claim) => void reclaimed.push(`${namespace}/${claim}`),
          async (uid) => void deleted.push(uid),
        ),
        parts,
      ),
    ]);
  });
  afterEach(() => cluster.stop());

  it('allows expansion for older classes, unless that was changed', async () => {
    const set = (name: string, allowVolumeExpansion: boolean | null) =>
      admin.patch(STORAGE_CLASSES, name, { type: 'merge', body: { allowVolumeExpansion } });
    await set('standard', null);
    await set('fast-ssd', false);
    await ensureStorageClasses(admin);
    expect((await admin.get(STORAGE_CLASSES, 'standard')).allowVolumeExpansion).toBe(true);
    expect((await admin.get(STORAGE_CLASSES, 'fast-ssd')).allowVolumeExpansion).toBe(false);
  });

  const namespace = 'default';
  const make = (name: string, spec: object = {}) =>
    admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name, namespace },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } }, ...spec },
    });
  const phase = async (name: string) => (await admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace })).status?.phase;

  it('has a default class', async () => {
    const classes = await admin.list(STORAGE_CLASSES);
    expect(new Set(classes.items.map(({ metadata }) => metadata.name))).toEqual(new Set(['fast-ssd', 'standard']));
  });

  it('binds a claim of the default class, and deletes its volume with it', async () => {
    await make('c');
    await cluster.until(async () => (await phase('c')) === 'Bound');
    const { spec, status } = await admin.get(PERSISTENT_VOLUME_CLAIMS, 'c', { namespace });
    expect(status?.capacity).toEqual({ storage: '3Gi' });
    const volume = spec.volumeName ?? '';
    expect((await admin.get(PERSISTENT_VOLUMES, volume)).status?.phase).toBe('Bound');
    await admin.delete(PERSISTENT_VOLUME_CLAIMS, 'c', { namespace });
    await cluster.until(() => admin.get(PERSISTENT_VOLUMES, volume).then(() => false, isNotFound));
    expect(reclaimed).toEqual(['default/c']);
    expect(volume).toBe(`pvc-${deleted.at(-1)}`);
  });

  it('does not provision a claim with WaitForFirstConsumer until a node is selected', async () => {
    await make('w', { storageClassName: 'fast-ssd' });
    await cluster.settle();
    expect(await phase('w')).toBe('Pending');
    expect((await admin.list(PERSISTENT_VOLUMES)).items).toEqual([]);
    const body = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } } };
    await admin.patch(PERSISTENT_VOLUME_CLAIMS, 'w', { type: 'merge', body }, { namespace });
    await cluster.until(async () => (await phase('w')) === 'Bound');
  });

  it('lets several nodes use a claim at once if requested', async () => {
    await make('shared', { accessModes: ['ReadWriteMany'] });
    await cluster.until(async () => (await phase('shared')) === 'Bound');
  });
});
