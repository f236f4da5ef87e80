import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HYPERSDK_VMS } from '#api/hypersdk/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { namespace, ROOT, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  // Lease renewals of nodes do not count as writes for VMs.
  await world.start({ signsOfLife: 'assumed' });
});
afterEach(() => world.stop());

describe('the number of writes of a start', () => {
  /** Every write creates one version. Events have their own versions. */
  const written = async () => Number((await world.admin.list(PODS, { namespace })).metadata.resourceVersion);
  const COUNT = 60;

  it.each([
    ['seven writes, of which one is for its Service, and four of Kubernetes for its endpoints', {}, 11],
    ['with a disk one more, and the five by which Kubernetes binds a volume', { disks: [ROOT] }, 17],
  ])('is %s', async (_what, spec, most) => {
    const before = await written();
    const make = (name: string) =>
      world.admin.create(HYPERSDK_VMS, {
        metadata: { name, namespace },
        spec: { cpus: 1, memory: '1Gi', ...spec },
      });
    await Promise.all(Array.from({ length: COUNT }, (_, i) => make(`m-${i}`)));
    await world.advance(4000);
    const phases = (await world.admin.list(HYPERSDK_VMS, { namespace })).items.map(({ status }) => status?.phase);
    expect(phases.filter((phase) => phase === 'Running')).toHaveLength(COUNT);
    // The first VMs are reported while they start.
    const writes = (await written()) - before - COUNT;
    expect(writes).toBeLessThanOrEqual(most * COUNT + 2 * 16);
  });
});
