import { describe, expect, it } from 'vitest';
import { VMIMS } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { migrationHarness, namespace } from './harness.fixture.ts';

const world = migrationHarness();

describe('the limits of migrations', () => {
  it('allow five in parallel and two from a node, the oldest first, and continue when others finish', async () => {
    world.start();
    await world.cluster.makeNode('n4');
    for (let i = 0; i < 12; i++) await world.running(`m${i}`, `n${1 + (i % 4)}`);
    for (let i = 0; i < 12; i++) {
      await world.migrate(`move-${i}`, `m${i}`);
      await world.cluster.clock.advance(1000);
    }
    await world.cluster.settle();
    const moved = async () => {
      const names = (await world.targets()).map(({ metadata }) => Number(metadata.labels?.['vm']?.slice(1)));
      return names.sort((a, b) => a - b);
    };
    expect(await moved()).toEqual([0, 1, 2, 3, 4]);
    for (const pod of await world.targets()) {
      await world.cluster.bind(pod, 'n9');
      await world.cluster.podStatus(pod, { phase: 'Running' });
    }
    await world.reaches('move-0', 'PreparingTarget');
    await world.agents.fail('m0', 'no');
    await world.reaches('move-0', 'Failed');
    await world.cluster.until(async () => (await moved()).includes(5));
    expect((await moved()).filter((i) => i > 5)).toEqual([]);
  });

  it('allow two from a node and let others overtake', async () => {
    world.start();
    for (let i = 0; i < 3; i++) await world.running(`a${i}`, 'n1');
    await world.running('b', 'n2');
    for (const name of ['a0', 'a1', 'a2', 'b']) {
      await world.migrate(`move-${name}`, name);
      await world.cluster.clock.advance(1000);
    }
    await world.cluster.settle();
    const names = (await world.targets())
      .map(({ metadata }) => metadata.labels?.['vm'] ?? '')
      .toSorted((a, b) => a.localeCompare(b));
    expect(names).toEqual(['a0', 'a1', 'b']);
  });

  it('hold despite stale caches', async () => {
    world.start({}, (client) => ({
      ...client,
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.plural === 'virtualmachineinstancemigrations') await world.cluster.clock.sleep(200);
          yield event;
        }
      },
    }));
    for (let i = 0; i < 8; i++) await world.running(`m${i}`, `x${i}`);
    for (let i = 0; i < 8; i++) await world.migrate(`move-${i}`, `m${i}`);
    await world.cluster.clock.advance(20_000);
    expect(await world.targets()).toHaveLength(5);
  });

  it('allow one migration of an instance at a time, and retain five finished ones', async () => {
    world.start();
    await world.running('web');
    for (let i = 0; i < 8; i++) {
      await world.migrate(`move-${i}`, 'web');
      await expect(world.migrate('second', 'web')).rejects.toThrow('in-flight migration detected');
      await world.cluster.clock.advance(1000);
      await world.cluster.settle();
      const [pod, ...others] = (await world.targets()).filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
      expect(others).toEqual([]);
      await world.admin.delete(PODS, pod?.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
      await world.reaches(`move-${i}`, 'Failed');
    }
    await world.cluster.settle();
    const names = (await world.admin.list(VMIMS, { namespace })).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['move-3', 'move-4', 'move-5', 'move-6', 'move-7']);
  });
});
