import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { claimBinder, volumeBinder } from './binder.ts';
import { claimProtection, volumeProtection } from './protection.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
  const parts = controllerDeps(cluster, 'persistent-volume-binder');
  const claims = { ...controllerDeps(cluster, 'pvc-protection-controller'), informers: parts.informers };
  const volumes = { ...controllerDeps(cluster, 'pv-protection-controller'), informers: parts.informers };
  cluster.run(
    manager('test', [
      parts.informers,
      runnable(claimBinder, parts),
      runnable(volumeBinder, parts),
      runnable(claimProtection, claims),
      runnable(volumeProtection, volumes),
    ]),
  );
});
afterEach(() => cluster.stop());

const namespace = 'default';
const accessModes = ['ReadWriteOnce'];
const makeVolume = (name: string, storage: string, policy = 'Retain') =>
  admin.create(PERSISTENT_VOLUMES, {
    metadata: { name },
    spec: {
      accessModes,
      capacity: { storage },
      storageClassName: 'fast',
      persistentVolumeReclaimPolicy: policy,
      volumeMode: 'Filesystem',
      hostPath: { path: '/data' },
    },
  });
const makeClaim = (name: string, storage: string, spec: object = {}) =>
  admin.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace },
    spec: {
      accessModes,
      resources: { requests: { storage } },
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
      ...spec,
    },
  });
const claim = (name: string) => admin.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace });
const volume = (name: string) => admin.get(PERSISTENT_VOLUMES, name);
const phaseOf = async (name: string) => (await volume(name)).status?.phase;
const bound = (name: string) => cluster.until(async () => (await claim(name)).status?.phase === 'Bound');
const isGone = (reading: Promise<unknown>) =>
  reading.then(() => false).catch((error) => (isNotFound(error) ? true : Promise.reject(error)));

describe('volumes and claims', () => {
  it('are bound, whichever is created first', async () => {
    await makeVolume('large', '100Gi');
    await makeVolume('small', '10Gi');
    for (const name of ['large', 'small']) await cluster.until(async () => (await phaseOf(name)) === 'Available');
    await makeClaim('a', '5Gi');
    await bound('a');
    expect((await claim('a')).spec.volumeName).toBe('small');
    expect((await claim('a')).status).toMatchObject({ phase: 'Bound', capacity: { storage: '10Gi' }, accessModes });
    expect((await volume('small')).spec.claimRef).toMatchObject({ namespace, name: 'a' });
    await makeClaim('b', '500Gi');
    await cluster.until(async () => (await claim('b')).status?.phase === 'Pending');
    await makeVolume('huge', '1Ti');
    await bound('b');
    await cluster.until(async () => (await phaseOf('huge')) === 'Bound');
  });

  it('are bound one to one, however many claims fit the same volume', async () => {
    await makeVolume('only', '10Gi');
    await Promise.all(['a', 'b', 'c'].map((name) => makeClaim(name, '1Gi')));
    await cluster.clock.advance(5000);
    const phases = await Promise.all(['a', 'b', 'c'].map(async (name) => (await claim(name)).status?.phase));
    expect(phases.filter((phase) => phase === 'Bound')).toHaveLength(1);
    expect(phases.filter((phase) => phase === 'Pending')).toHaveLength(2);
  });

  it('are separated when the claim is deleted, and the released volume is not bound again', async () => {
    await makeVolume('v', '10Gi');
    await makeClaim('a', '5Gi');
    await bound('a');
    await admin.delete(PERSISTENT_VOLUME_CLAIMS, 'a', { namespace });
    await cluster.until(async () => (await phaseOf('v')) === 'Released');
    await makeClaim('a', '5Gi');
    await cluster.clock.advance(1000);
    expect((await claim('a')).status?.phase).toBe('Pending');
    await admin.patch(PERSISTENT_VOLUMES, 'v', { type: 'merge', body: { spec: { claimRef: null } } });
    await bound('a');
  });

  it('fail if a volume must be deleted and no provisioner does it', async () => {
    await makeVolume('v', '10Gi', 'Delete');
    await makeClaim('a', '5Gi');
    await bound('a');
    await admin.delete(PERSISTENT_VOLUME_CLAIMS, 'a', { namespace });
    await cluster.until(async () => (await phaseOf('v')) === 'Failed');
  });

  it('are requested from the provisioner, after a node is selected if the class requires that', async () => {
    await admin.create(STORAGE_CLASSES, {
      metadata: { name: 'fast' },
      provisioner: 'example.com/disk',
      volumeBindingMode: 'WaitForFirstConsumer',
      reclaimPolicy: 'Delete',
    });
    await makeVolume('v', '10Gi');
    await makeClaim('a', '50Gi');
    await cluster.settle();
    expect((await claim('a')).metadata.annotations).toBeUndefined();
    const annotations = { 'volume.kubernetes.io/selected-node': 'n1' };
    await admin.patch(
      PERSISTENT_VOLUME_CLAIMS,
      'a',
      { type: 'merge', body: { metadata: { annotations } } },
      { namespace },
    );
    const requested = 'volume.kubernetes.io/storage-provisioner';
    await cluster.until(async () => (await claim('a')).metadata.annotations?.[requested] === 'example.com/disk');
  });

  it('are kept while they are in use', async () => {
    await makeVolume('v', '10Gi');
    await makeClaim('a', '5Gi');
    await bound('a');
    await admin.create(PODS, {
      metadata: { name: 'p', namespace },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'main', image: 'registry.example.com/app:1' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }],
      },
    });
    await cluster.settle();
    await admin.delete(PERSISTENT_VOLUME_CLAIMS, 'a', { namespace });
    await admin.delete(PERSISTENT_VOLUMES, 'v');
    await cluster.clock.advance(120_000);
    expect((await claim('a')).metadata.deletionTimestamp).toBeDefined();
    expect((await volume('v')).metadata.deletionTimestamp).toBeDefined();
    await admin.delete(PODS, 'p', { namespace, gracePeriodSeconds: 0 });
    await cluster.until(() => isGone(claim('a')));
    await cluster.until(() => isGone(volume('v')));
  });
});
