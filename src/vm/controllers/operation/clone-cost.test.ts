import { expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { ALL_DIALECTS, namespace, startOperationHarness } from '#testing/operation-harness';

it('a clone of a hypersdk.io VM takes eight writes of ours, besides those of Kubernetes for its volume and endpoints', async () => {
  const harness = await startOperationHarness({ dialects: ALL_DIALECTS });
  try {
    await harness.admin.create(HYPERSDK_VMS, {
      metadata: { name: 'web', namespace },
      spec: { cpus: 1, memory: '1Gi', disks: [{ name: 'root', size: '5Gi' }] },
    });
    await harness.clock.advance(10_000);
    harness.writes.length = 0;
    const vmRef = { name: 'web', apiGroup: 'hypersdk.io' };
    await harness.ask('copy', 'web', 'clone', { vmRef, cloneSpec: { targetName: 'copy' } });
    expect((await harness.over('copy')).status?.phase).toBe('Succeeded');
    await harness.clock.advance(5000);
    expect(harness.writes.toSorted()).toEqual([
      'create endpoints',
      'create endpointslices',
      'create persistentvolumeclaims',
      'create persistentvolumes',
      'create services',
      'create virtualmachines',
      'update persistentvolumeclaims',
      'update persistentvolumeclaims',
      'update persistentvolumeclaims/status',
      'update persistentvolumes/status',
      'update virtualmachines/status',
      'update vmoperations',
      'update vmoperations/status',
      'update vmoperations/status',
    ]);
  } finally {
    await harness.stop();
  }
});
