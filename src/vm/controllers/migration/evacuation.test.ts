import { describe, expect, it } from 'vitest';
import { VMIMS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import { migrationHarness, namespace } from './harness.fixture.ts';
import { planEvacuation } from './plan-evacuation.ts';
import { EVACUATION_LABEL } from './settings.ts';

const harness = migrationHarness();
const MINUTE = 60_000;

describe('an evacuation', () => {
  const all = async () => (await harness.admin.list(VMIMS, { namespace })).items;
  const movable = { evictionStrategy: 'LiveMigrate' };

  it('migrates an instance that has to leave its node, once', async () => {
    harness.start();
    await harness.running('web', 'n1', movable);
    await harness.cluster.vmiStatus('web', { evacuationNodeName: 'n1' });
    const [move] = await harness.cluster.until(async () => ((await all()).length > 0 ? await all() : undefined));
    expect(move?.metadata).toMatchObject({
      name: expect.stringMatching(/^kubevirt-evacuation-[a-z0-9]{5}$/),
      labels: { 'kubevirt.io/evacuationMigration': 'n1' },
    });
    const pod = await harness.target();
    await harness.cluster.bind(pod, 'n2');
    await harness.cluster.podStatus(pod, { phase: 'Running' });
    await harness.cluster.until(async () => (await harness.state('web'))?.targetNode === 'n2');
    await harness.agents.ready('web');
    await harness.agents.begin('web');
    await harness.agents.succeed('web', pod, 'n2');
    await harness.cluster.until(
      async () => (await harness.cluster.vmi('web')).status?.evacuationNodeName === undefined,
    );
    await harness.cluster.clock.advance(MINUTE);
    expect(await all()).toHaveLength(1);
  });

  it.each([
    [63, 'n'.repeat(63)],
    [64, ''],
  ])('is labeled with its node if the name fits: %d characters', async (length, label) => {
    const node = 'n'.repeat(length);
    await harness.admin.create(NODES, { metadata: { name: node } });
    harness.start();
    await harness.running('web', node, movable);
    await harness.cluster.vmiStatus('web', { evacuationNodeName: node });
    const [migration] = await harness.cluster.until(async () => ((await all()).length > 0 ? await all() : undefined));
    expect(migration?.metadata).toMatchObject({
      labels: { [EVACUATION_LABEL]: label },
      annotations: { [EVACUATION_LABEL]: node },
    });
  });

  it('is created once despite lost responses and stale watches', async () => {
    let deaf = true;
    const shown = Promise.withResolvers<void>();
    harness.start({}, (client) => ({
      ...client,
      async create(...args) {
        const made = await client.create(...args);
        if (!deaf || made.kind !== 'VirtualMachineInstanceMigration') return made;
        throw new KubeError(504, 'Timeout', 'lost on the way back');
      },
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.kind === 'VirtualMachineInstanceMigration') await shown.promise;
          yield event;
        }
      },
    }));
    await harness.running('web', 'n1', movable);
    await harness.cluster.vmiStatus('web', { evacuationNodeName: 'n1' });
    await harness.cluster.clock.advance(10_000);
    deaf = false;
    shown.resolve();
    await harness.cluster.clock.advance(10_000);
    expect(await all()).toHaveLength(1);
  });

  it('is retried with increasing delays after failures', async () => {
    harness.start();
    await harness.running('web', 'n1', movable);
    await harness.cluster.vmiStatus('web', { evacuationNodeName: 'n1' });
    const tries: number[] = [];
    const seen = new Set<string>();
    for (let second = 0; second < 200; second++) {
      for (const { metadata } of await all()) {
        if (!seen.has(metadata.uid)) tries.push(second);
        seen.add(metadata.uid);
      }
      for (const { metadata } of await harness.targets()) {
        await harness.admin.delete(PODS, metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
      }
      await harness.cluster.clock.advance(1000);
    }
    const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
    expect(waits).toHaveLength(3);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(20 * 2 ** i);
      expect(wait).toBeLessThanOrEqual(20 * 2 ** i + 4);
    }
  });

  it('of a drained node migrates all that can be migrated, two at a time', async () => {
    harness.start();
    for (const name of ['a', 'b', 'c']) await harness.running(name, 'n1', movable);
    await harness.running('stays', 'n1', { evictionStrategy: 'None' });
    await harness.running('elsewhere', 'n2', movable);
    const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }];
    await harness.admin.patch(NODES, 'n1', {
      type: 'merge',
      body: { spec: { taints } },
    });
    await harness.cluster.until(async () => (await all()).length === 2);
    await harness.cluster.clock.advance(MINUTE);
    expect(await all()).toHaveLength(2);
    const [first] = await all();
    const vmi = first?.spec.vmiName ?? '';
    const pod = (await harness.targets()).find(({ metadata }) => metadata.labels?.['vm'] === vmi) as Pod;
    await harness.cluster.bind(pod, 'n3');
    await harness.cluster.podStatus(pod, { phase: 'Running' });
    await harness.cluster.until(async () => (await harness.state(vmi))?.targetNode === 'n3');
    await harness.agents.ready(vmi);
    await harness.agents.begin(vmi);
    await harness.agents.succeed(vmi, pod, 'n3');
    await harness.cluster.until(async () => (await all()).length === 3);
    expect((await all()).map(({ spec }) => spec.vmiName).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});

describe('the instances that leave a node', () => {
  const vmi = (name: string, status: object = {}, spec: object = { evictionStrategy: 'LiveMigrate' }): Vmi =>
    ({
      metadata: { name, namespace, uid: name },
      spec,
      status: { phase: 'Running', nodeName: 'n1', evacuationNodeName: 'n1', ...status },
    }) as unknown as Vmi;
  const cannot = { conditions: [{ type: 'LiveMigratable', status: 'False' }] };
  const can = { conditions: [{ type: 'LiveMigratable', status: 'True' }] };
  const over = { status: { phase: 'Succeeded' }, metadata: { creationTimestamp: '2030-01-01T00:00:00Z' } };
  const moves = (instances: readonly Vmi[], draining = false, unfinished: readonly string[] = []) =>
    planEvacuation(
      {
        node: 'n1',
        draining,
        instances,
        migrationsOf: ({ metadata }) => [
          (unfinished.includes(metadata.name) ? { status: { phase: 'Running' } } : over) as unknown as Vmim,
        ],
        activePodOf: () => undefined,
        now: 0,
      },
      2,
    ).migrate.map(({ vmi: { metadata }, reason }) =>
      reason === EVACUATION_LABEL ? metadata.name : `${metadata.name} grows`,
    );

  it.each<[what: string, vmi: Vmi, draining: boolean, moved: boolean]>([
    ['include one that is marked for evacuation', vmi('a'), false, true],
    ['include none that is not marked', vmi('a', { evacuationNodeName: undefined }), false, false],
    ['include all of a drained node', vmi('a', { evacuationNodeName: undefined }), true, true],
    ['include none that is marked for another node', vmi('a', { evacuationNodeName: 'n0' }), false, false],
    ['include none that has left', vmi('a', { nodeName: 'n2' }), false, false],
    ['include none that does not run', vmi('a', { phase: 'Failed' }), true, false],
    ['include none that cannot migrate', vmi('a', cannot), true, false],
    [
      'include one that can migrate if migration is optional',
      vmi('a', can, { evictionStrategy: 'LiveMigrateIfPossible' }),
      true,
      true,
    ],
    [
      'include none that may be unable to migrate if migration is optional',
      vmi('a', {}, { evictionStrategy: 'LiveMigrateIfPossible' }),
      true,
      false,
    ],
    ['include none that another controller migrates', vmi('a', can, { evictionStrategy: 'External' }), true, false],
    ['include none without an eviction strategy', vmi('a', can, {}), true, false],
  ])('%s', (_what, instance, draining, moved) => {
    expect(moves([instance], draining)).toEqual(moved ? ['a'] : []);
  });

  it('include an instance that waits for another size after those that have to leave', () => {
    const waits = (status: string) => ({
      evacuationNodeName: undefined,
      conditions: [{ type: 'HotMemoryChange', status }],
    });
    expect(moves([vmi('a', waits('True'), {})])).toEqual(['a grows']);
    expect(moves([vmi('a', waits('False'), {})])).toEqual([]);
    expect(moves([vmi('a', waits('True')), vmi('b')])).toEqual(['b', 'a grows']);
    expect(moves([vmi('a', waits('True')), vmi('b'), vmi('c')])).toEqual(['b', 'c']);
  });

  it('are limited in parallel, including those in progress', () => {
    const all = ['a', 'b', 'c'].map((name) => vmi(name));
    expect(moves(all)).toEqual(['a', 'b']);
    expect(moves(all, false, ['a'])).toEqual(['b']);
    expect(moves(all, false, ['a', 'b', 'c'])).toEqual([]);
  });
});
