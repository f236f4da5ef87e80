import { afterEach, beforeEach, expect, test } from 'vitest';
import { PERSISTENT_VOLUME_CLAIMS, VOLUME_ATTRIBUTES_CLASSES } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { attributesClassProtection } from './attributes-class-protection.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
  const parts = controllerDeps(cluster, 'volumeattributesclass-protection-controller');
  cluster.run(manager('test', [parts.informers, runnable(attributesClassProtection, parts)]));
});
afterEach(() => cluster.stop());

const namespace = 'default';
const isGone = async (name: string) =>
  await cluster.admin.get(VOLUME_ATTRIBUTES_CLASSES, name).then(() => false, isNotFound);

test('a deleted class is kept until its last claim is deleted', async () => {
  const { admin } = cluster;
  for (const name of ['used', 'unused']) {
    await admin.create(VOLUME_ATTRIBUTES_CLASSES, {
      metadata: { name },
      driverName: 'csi.example.com',
      parameters: { iops: '100' },
    });
  }
  await admin.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'claim', namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeAttributesClassName: 'used',
    },
  });
  await cluster.settle();
  await admin.delete(VOLUME_ATTRIBUTES_CLASSES, 'used');
  await admin.delete(VOLUME_ATTRIBUTES_CLASSES, 'unused');
  await cluster.settle();
  expect(await isGone('unused')).toBe(true);
  expect(await isGone('used')).toBe(false);
  await admin.patch(
    PERSISTENT_VOLUME_CLAIMS,
    'claim',
    { type: 'merge', body: { metadata: { finalizers: null } } },
    { namespace },
  );
  await admin.delete(PERSISTENT_VOLUME_CLAIMS, 'claim', { namespace });
  await cluster.settle();
  expect(await isGone('used')).toBe(true);
});
