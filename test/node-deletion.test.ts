import { expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { startSoakHarness } from '#testing/soak/soak-harness';

const namespace = 'default';

it('starts the VMs of a deleted node on other nodes at once', async () => {
  const world = await startSoakHarness('a node is deleted');
  try {
    const { admin, clock } = world;
    await clock.advance(5000);
    const domain = { memory: { guest: '1Gi' }, devices: {} };
    await admin.create(VMS, {
      metadata: { name: 'web', namespace },
      spec: { runStrategy: 'Always', template: { spec: { domain } } },
    });
    await clock.advance(5000);
    const before = await admin.get(VMIS, 'web', { namespace });
    expect(before.status?.phase).toBe('Running');
    const node = before.status?.nodeName ?? '';
    await admin.delete(NODES, node);
    await clock.advance(3000);
    const after = await admin.get(VMIS, 'web', { namespace });
    expect(after.status).toMatchObject({ phase: 'Running' });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.status?.nodeName).not.toBe(node);
    const { conditions } = (await admin.get(VMS, 'web', { namespace })).status ?? {};
    expect(conditions?.find(({ type }) => type === 'LastShutdown')).toMatchObject({ reason: 'NodeLost' });
    const pods = (await admin.list(PODS, { namespace })).items;
    expect(pods.map(({ spec }) => spec.nodeName)).toEqual([after.status?.nodeName]);
    await clock.advance(120_000);
    expect((await admin.list(NODES)).items.map(({ metadata }) => metadata.name)).not.toContain(node);
    expect(world.machines.doubled).toEqual([]);
  } finally {
    await world.stop();
  }
});
