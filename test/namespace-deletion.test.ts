import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIMS, VMS } from '#api/kubevirt/resources';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { isNotFound } from '#platform/kube/kube-error';
import { type SoakHarness, startSoakHarness } from '#testing/soak/soak-harness';

describe('a deleted namespace with VMs', () => {
  let world: SoakHarness;
  beforeEach(async () => {
    world = await startSoakHarness('namespace deletion');
    await world.clock.advance(5000);
  });
  afterEach(() => world.stop());

  it('is removed without warnings', async () => {
    const namespace = 'shelf';
    await world.admin.create(NAMESPACES, { metadata: { name: namespace } });
    for (const name of ['a', 'b', 'c']) {
      const template = { spec: { domain: { memory: { guest: '1Gi' }, devices: {} } } };
      await world.admin.create(VMS, { metadata: { name, namespace }, spec: { runStrategy: 'Always', template } });
    }
    await world.clock.advance(10_000);
    await world.admin.create(VMIMS, { metadata: { name: 'move', namespace }, spec: { vmiName: 'a' } });
    const template = { spec: { domain: { memory: { guest: '1Gi' }, devices: {} } } };
    await world.admin.create(VMS, { metadata: { name: 'late', namespace }, spec: { runStrategy: 'Always', template } });
    await world.admin.delete(NAMESPACES, namespace);
    await world.clock.advance(120_000);
    await expect(world.admin.get(NAMESPACES, namespace)).rejects.toSatisfy(isNotFound);
    const loud = world.log.entries.filter(({ level }) => level === 'warn' || level === 'error');
    expect(loud.map(({ message, fields }) => `${message}: ${(fields?.['err'] as Error | undefined)?.message}`)).toEqual(
      [],
    );
  });
});
