import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { startCluster } from '#testing/cluster';
import { readConfiguration } from '../config/configuration.ts';
import { namespace, type TestCluster, testClusterOn } from '../test-cluster.fixture.ts';

let trial: TestCluster;

beforeEach(async () => {
  trial = await testClusterOn(await startCluster());
});
afterEach(() => trial.cluster.stop());

describe('a claim with WaitForFirstConsumer', () => {
  const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }];
  const claimed = () => trial.cluster.admin.get(PERSISTENT_VOLUME_CLAIMS, 'c', { namespace });

  async function addClaim(provisioner: string): Promise<void> {
    const volumeBindingMode = 'WaitForFirstConsumer';
    await trial.cluster.admin.create(STORAGE_CLASSES, { metadata: { name: 'late' }, provisioner, volumeBindingMode });
    const spec = { ...CLAIM, storageClassName: 'late' };
    await trial.cluster.admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'c', namespace }, spec });
  }

  /** Binds the claim as the claim controller does when there is a volume. */
  async function bindClaim(volumeName: string): Promise<void> {
    const claim = await claimed();
    const annotations = { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' };
    const metadata = { ...claim.metadata, annotations };
    await trial.cluster.admin.update(PERSISTENT_VOLUME_CLAIMS, {
      ...claim,
      metadata,
      spec: { ...claim.spec, volumeName },
    });
  }

  const selectedNode = () =>
    trial.cluster.until(
      async () => (await claimed()).metadata.annotations?.['volume.kubernetes.io/selected-node'] ?? false,
    );

  beforeEach(() => trial.addNode('a'));

  test('gets its volume on the node of the pod, and the pod waits for it', async () => {
    await addClaim('example.com/disks');
    trial.start();
    await trial.addPod('p', '1', { volumes });
    expect(await selectedNode()).toBe('a');
    await trial.cluster.settle();
    expect((await trial.get('p')).spec.nodeName).toBeUndefined();
    await bindClaim('x');
    expect(await trial.nodeOf('p')).toBe('a');
  });

  test('gets a free volume that is accessible from the node', async () => {
    await trial.addNode('b');
    await addClaim('kubernetes.io/no-provisioner');
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['b'] }];
    const local = {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      local: { path: '/disk' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    };
    const volume = await trial.cluster.admin.create(PERSISTENT_VOLUMES, { metadata: { name: 'local' }, spec: local });
    const status = { phase: 'Available' };
    await trial.cluster.admin.update(PERSISTENT_VOLUMES, { ...volume, status }, { subresource: 'status' });
    trial.start();
    await trial.addPod('p', '1', { volumes });
    const { uid } = (await claimed()).metadata;
    await trial.cluster.until(async () => {
      const { spec } = await trial.cluster.admin.get(PERSISTENT_VOLUMES, 'local', {});
      return spec.claimRef?.uid === uid;
    });
    await bindClaim('local');
    expect(await trial.nodeOf('p')).toBe('b');
  });

  test('fails the binding after a timeout', async () => {
    await addClaim('example.com/disks');
    const pluginConfig = [{ name: 'VolumeBinding', args: { bindTimeoutSeconds: 60 } }];
    trial.start({ configuration: readConfiguration({ profiles: [{ pluginConfig }] }) });
    await trial.addPod('p', '1', { volumes });
    await selectedNode();
    await trial.cluster.clock.advance(60_000);
    expect(await trial.messageOf('p')).toBe(
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    );
    const spec = {
      accessModes: CLAIM.accessModes,
      capacity: { storage: '1Gi' },
      hostPath: { path: '/x' },
      storageClassName: 'late',
    };
    await trial.cluster.admin.create(PERSISTENT_VOLUMES, { metadata: { name: 'x' }, spec });
    await bindClaim('x');
    await trial.cluster.clock.advance(1_000);
    expect(await trial.nodeOf('p')).toBe('a');
  });
});
