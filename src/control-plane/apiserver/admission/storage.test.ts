import { describe, expect, test } from 'vitest';
import { type Cluster, testCluster } from './chain.fixture.ts';

const claimOf = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: 'p', ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

async function withClass(name: string, fields: object = {}, cluster?: Cluster): Promise<Cluster> {
  const made = cluster ?? (await testCluster());
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  const object = { metadata: { name, annotations }, provisioner: 'x/y', ...fields };
  await made.create('storageclasses.storage.k8s.io', object);
  return made;
}

describe('the storage class of a claim', () => {
  const classOf = async (cluster: Cluster, claim: object) =>
    (await cluster.create('persistentvolumeclaims/x', claim, { dryRun: true }))['spec'];

  test('is the newest default class, and the first by name among equally new ones', async () => {
    const cluster = await withClass('b');
    await withClass('a', {}, cluster);
    expect(await classOf(cluster, claimOf())).toMatchObject({ storageClassName: 'a' });
    await cluster.clock.advance(1000);
    await withClass('c', {}, cluster);
    expect(await classOf(cluster, claimOf())).toMatchObject({ storageClassName: 'c' });
  });

  test('stays empty if the claim requests that', async () => {
    const cluster = await withClass('a');
    expect(await classOf(cluster, claimOf({ storageClassName: '' }))).toMatchObject({ storageClassName: '' });
    const annotations = { 'volume.beta.kubernetes.io/storage-class': '' };
    expect(await classOf(cluster, claimOf({}, { annotations }))).not.toHaveProperty('storageClassName');
  });
});

test('claims and volumes get a finalizer that protects them while in use', async () => {
  const cluster = await testCluster();
  const claim = await cluster.create('persistentvolumeclaims/x', claimOf());
  const volume = await cluster.create('persistentvolumes', {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
  });
  expect(claim.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  expect(volume.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
});

describe('a claim that is expanded', () => {
  const grown = { spec: { resources: { requests: { storage: '2Gi' } } } };
  const bind = async (cluster: Cluster) => {
    await cluster.patch('persistentvolumeclaims/x/p', { spec: { volumeName: 'v' } });
    await cluster.patch('persistentvolumeclaims/x/p/status', { status: { phase: 'Bound' } });
  };
  const bound = async (fields: object) => {
    const cluster = await withClass('a', fields);
    await cluster.create('persistentvolumeclaims/x', claimOf());
    await bind(cluster);
    return cluster;
  };

  test('is rejected if its class does not allow expansion', async () => {
    const cluster = await bound({});
    const { message } = await cluster.refused(cluster.patch('persistentvolumeclaims/x/p', grown));
    expect(message).toBe(
      'persistentvolumeclaims "p" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  });

  test('grows if its class allows expansion', async () => {
    const cluster = await bound({ allowVolumeExpansion: true });
    expect((await cluster.patch('persistentvolumeclaims/x/p', grown))['spec']).toMatchObject(grown.spec);
  });
});

test('ingresses get the default class unless an annotation names one', async () => {
  const cluster = await testCluster();
  const backend = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
  const specOf = async (metadata: object) =>
    (
      await cluster.create(
        'ingresses.networking.k8s.io/x',
        { metadata: { name: 'i', ...metadata }, spec: backend },
        { dryRun: true },
      )
    )['spec'];
  expect(await specOf({})).not.toHaveProperty('ingressClassName');
  await cluster.create('ingressclasses.networking.k8s.io', {
    metadata: { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'x/y' },
  });
  expect(await specOf({})).toMatchObject({ ingressClassName: 'nginx' });
  expect(await specOf({ annotations: { 'kubernetes.io/ingress.class': 'x' } })).not.toHaveProperty('ingressClassName');
});
