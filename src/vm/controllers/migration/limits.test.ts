import { describe, expect, it } from 'vitest';
import { VMIMS } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { migrationHarness, namespace } from './harness.fixture.ts';

const harness = migrationHarness();

describe('the limits of migrations', () => {
  it('allow five in parallel and two from a node, the oldest first, and continue when others finish', async () => {
    harness.start();
    await harness.cluster.makeNode('n4');
    for (let i = 0; i < 12; i++) await harness.running(`m${i}`, `n${1 + (i % 4)}`);
    for (let i = 0; i < 12; i++) {
      await harness.migrate(`move-${i}`, `m${i}`);
      await harness.cluster.clock.advance(1000);
    }
    await harness.cluster.settle();
    const moved = async () => {
      const names = (await harness.targets()).map(({ metadata }) => Number(metadata.labels?.['vm']?.slice(1)));
      return names.sort((a, b) => a - b);
    };
    expect(await moved()).toEqual([0, 1, 2, 3, 4]);
    for (const pod of await harness.targets()) {
      await harness.cluster.bind(pod, 'n9');
      await harness.cluster.podStatus(pod, { phase: 'Running' });
    }
    await harness.reaches('move-0', 'PreparingTarget');
    await harness.agents.fail('m0', 'no');
    await harness.reaches('move-0', 'Failed');
    await harness.cluster.until(async () => (await moved()).includes(5));
    expect((await moved()).filter((i) => i > 5)).toEqual([]);
  });

  it('allow two from a node and let others overtake', async () => {
    harness.start();
    for (let i = 0; i < 3; i++) await harness.running(`a${i}`, 'n1');
    await harness.running('b', 'n2');
    for (const name of ['a0', 'a1', 'a2', 'b']) {
      await harness.migrate(`move-${name}`, name);
      await harness.cluster.clock.advance(1000);
    }
    await harness.cluster.settle();
    const names = (await harness.targets())
      .map(({ metadata }) => metadata.labels?.['vm'] ?? '')
      .toSorted((a, b) => a.localeCompare(b));
    expect(names).toEqual(['a0', 'a1', 'b']);
  });

  it('hold despite stale caches', async () => {
    harness.start({}, (client) => ({
      ...client,
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.plural === 'virtualmachineinstancemigrations') await harness.cluster.clock.sleep(200);
          yield event;
        }
      },
    }));
    for (let i = 0; i < 8; i++) await harness.running(`m${i}`, `x${i}`);
    for (let i = 0; i < 8; i++) await harness.migrate(`move-${i}`, `m${i}`);
    await harness.cluster.clock.advance(20_000);
    expect(await harness.targets()).toHaveLength(5);
  });

  it('allow one migration of an instance at a time, and retain five finished ones', async () => {
    harness.start();
    await harness.running('web');
    for (let i = 0; i < 8; i++) {
      await harness.migrate(`move-${i}`, 'web');
      await expect(harness.migrate('second', 'web')).rejects.toThrow('in-flight migration detected');
      await harness.cluster.clock.advance(1000);
      await harness.cluster.settle();
      const [pod, ...others] = (await harness.targets()).filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
      expect(others).toEqual([]);
      await harness.admin.delete(PODS, pod?.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
      await harness.reaches(`move-${i}`, 'Failed');
    }
    await harness.cluster.settle();
    const names = (await harness.admin.list(VMIMS, { namespace })).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['move-3', 'move-4', 'move-5', 'move-6', 'move-7']);
  });
});
