import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NovacronVm } from '#api/novacron/resources';
import type { PoolLimits } from './limits.ts';
import { planRollout, type RolloutInput } from './rollout.ts';
import { vmsToDelete } from './scale-in.ts';

const NOW = Date.UTC(2030, 0, 1);
const LIMITS: PoolLimits = { surge: 1, unavailable: 0, partition: 0, recreate: false };

interface Facts {
  readonly revision?: string;
  readonly ready?: boolean;
  readonly ageSeconds?: number;
  readonly cost?: number;
  readonly terminating?: boolean;
}

function vm(
  name: string,
  { revision = 'b', ready = true, ageSeconds = 60, cost, terminating }: Facts = {},
): NovacronVm {
  const at = new Date(NOW - ageSeconds * 1000).toISOString();
  return {
    metadata: {
      name,
      labels: { 'controller-revision-hash': revision },
      creationTimestamp: at,
      ...(cost === undefined ? {} : { annotations: { 'novacron.io/deletion-cost': `${cost}` } }),
      ...(terminating === true ? { deletionTimestamp: at } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at }] },
  } as unknown as NovacronVm;
}

const input = (vms: readonly NovacronVm[], given: Partial<RolloutInput> = {}): RolloutInput => ({
  vms,
  desired: 3,
  limits: LIMITS,
  update: 'b',
  current: 'a',
  paused: false,
  minReadyMs: 0,
  now: NOW,
  ...given,
});
const old = (name: string, facts: Facts = {}) => vm(name, { revision: 'a', ...facts });
const deleted = (given: RolloutInput) => planRollout(given).delete.map(({ metadata }) => metadata.name);
const created = (given: RolloutInput) => planRollout(given).create;

describe('scale-in', () => {
  it.each<[string, readonly NovacronVm[], string[]]>([
    ['takes VMs that are not ready first', [vm('a', { cost: -9 }), vm('b', { ready: false })], ['b']],
    ['then those of an old revision', [vm('a', { cost: -9 }), old('b', { cost: 9 })], ['b']],
    ['then those with the lowest deletion cost', [vm('a', { cost: 2, ageSeconds: 1 }), vm('b', { cost: 1 })], ['b']],
    ['then the youngest', [vm('a', { ageSeconds: 90 }), vm('b', { ageSeconds: 10 })], ['b']],
  ])('%s', (_what, vms, names) => {
    const isStale = ({ metadata }: NovacronVm) => metadata.labels?.['controller-revision-hash'] === 'a';
    for (const order of [vms, vms.toReversed()]) {
      expect(vmsToDelete(order, 1, isStale).map(({ metadata }) => metadata.name)).toEqual(names);
    }
  });
});

describe('a rollout', () => {
  it('first creates a VM above the desired number', () => {
    const given = input([old('a'), old('b'), old('c')]);
    expect([created(given), deleted(given)]).toEqual([[{ revision: 'b', count: 1 }], []]);
  });

  it('deletes an old VM once a new one is available', () => {
    const unready = input([old('a'), old('b'), old('c'), vm('d', { ready: false })]);
    expect([created(unready), deleted(unready)]).toEqual([[], []]);
    expect(deleted(input([old('a'), old('b'), old('c', { ageSeconds: 61 }), vm('d')]))).toEqual(['b']);
  });

  it('replaces broken VMs without waiting for others', () => {
    const limits = { ...LIMITS, unavailable: 1 };
    expect(deleted(input([old('a'), old('b', { ready: false }), old('c', { ready: false })], { limits }))).toEqual([
      'b',
    ]);
  });

  it('keeps the oldest VMs below the partition', () => {
    const limits = { ...LIMITS, unavailable: 3, partition: 2 };
    const given = input([old('a', { ageSeconds: 99 }), old('b', { ageSeconds: 98 }), old('c')], { limits });
    expect(deleted(given)).toEqual(['c']);
    expect(created(input([old('a')], { limits }))).toEqual([
      { revision: 'a', count: 1 },
      { revision: 'b', count: 1 },
    ]);
  });

  it('waits for terminating VMs with Recreate', () => {
    const limits = { ...LIMITS, surge: 0, unavailable: 3, recreate: true };
    expect(deleted(input([old('a'), old('b'), old('c')], { limits }))).toEqual(['a', 'b', 'c']);
    expect(created(input([old('a', { terminating: true })], { limits }))).toEqual([]);
    expect(created(input([], { limits }))).toEqual([{ revision: 'b', count: 3 }]);
  });

  it('only scales while it is paused', () => {
    const given = input([old('a'), old('b')], { paused: true });
    expect([created(given), deleted(given)]).toEqual([[{ revision: 'a', count: 1 }], []]);
  });

  it('says when the next VM will be available', () => {
    const given = input([vm('a', { ageSeconds: 4 }), vm('b', { ageSeconds: 40 }), vm('c')], { minReadyMs: 10_000 });
    expect(planRollout(given)).toMatchObject({ available: 2, againMs: 6000 });
  });

  it('arrives from every state, and never has fewer available VMs than allowed', () => {
    const state = fc.record({ revision: fc.constantFrom('a', 'b', 'c'), ready: fc.boolean() });
    const limits = fc.record({ surge: fc.nat(3), unavailable: fc.nat(3) }).filter((l) => l.surge + l.unavailable > 0);
    fc.assert(
      fc.property(fc.array(state, { maxLength: 8 }), limits, fc.nat(6), (states, { surge, unavailable }, desired) => {
        let vms = states.map((facts, i) => vm(`v${i}`, { ...facts, ageSeconds: 100 - i }));
        let steps = 0;
        const allowed = { ...LIMITS, surge, unavailable: Math.min(unavailable, desired), partition: 0 };
        const safe = surge + allowed.unavailable > 0 ? allowed : { ...allowed, unavailable: 1 };
        for (; steps < 60; steps++) {
          const plan = planRollout(input(vms, { desired, limits: safe }));
          const gone = new Set(plan.delete);
          const left = vms.filter((each) => !gone.has(each));
          const available = left.filter((each) => each.status?.conditions?.[0]?.status === 'True').length;
          expect(available).toBeGreaterThanOrEqual(Math.min(plan.available, desired - safe.unavailable));
          const born = plan.create.flatMap(({ revision, count }) =>
            Array.from({ length: count }, (_, i) => vm(`n${steps}-${i}`, { revision, ready: false })),
          );
          expect(left.length + born.length).toBeLessThanOrEqual(Math.max(desired + surge, vms.length));
          if (
            plan.delete.length + born.length === 0 &&
            vms.every((each) => each.status?.conditions?.[0]?.status === 'True')
          )
            break;
          vms = [
            ...left.map((each) =>
              vm(each.metadata.name, { revision: each.metadata.labels?.['controller-revision-hash'] ?? '' }),
            ),
            ...born,
          ];
        }
        expect(steps).toBeLessThan(60);
        expect(vms.map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).toEqual(
          Array.from({ length: desired }, () => 'b'),
        );
      }),
    );
  });
});
