import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '#platform/kube/kinds/workloads';
import { templateHash } from '#platform/runtime/revisions/template-hash';
import { deploymentStatus } from './deployment-status.ts';
import { availableOf, desiredReplicas, limitsOf, total } from './limits.ts';
import { nextRevision, refreshReplicaSet, replicaSetsToPrune } from './new-replica-set.ts';
import { recreateStep, rollingStep } from './rollout.ts';
import { isScaled, scaleProportionally } from './scaling.ts';
import { currentSet } from './template.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const template = (image = 'a') => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});

const set = (name: string, replicas: number, available = replicas, more: object = {}): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, creationTimestamp: `2029-01-01T00:00:0${name.length}Z`, ...more },
  spec: { replicas, selector: {}, template: template(name) },
  status: { replicas, readyReplicas: available, availableReplicas: available },
});
const deployment = (spec: object = {}, more: object = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas: 4, selector: {}, template: template(), ...spec },
  ...more,
});
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

describe('the limits of a rollout', () => {
  it.each([
    ['round the surge up and the unavailable pods down', { replicas: 10, ...rolling('25%', '25%') }, [10, 3, 2]],
    ['numbers', { replicas: 10, ...rolling(1, 0) }, [10, 1, 0]],
    ['allow one unavailable pod if both are zero', { replicas: 3, ...rolling(0, '1%') }, [3, 0, 1]],
    ['default to 25 %', { replicas: 4 }, [4, 1, 1]],
    ['allow at most all pods to be unavailable', { replicas: 2, ...rolling(0, 5) }, [2, 0, 2]],
    ['are zero for the strategy Recreate', { replicas: 4, strategy: { type: 'Recreate' } }, [4, 0, 0]],
  ])('%s', (_what, spec, [replicas, surge, unavailable]) => {
    expect(limitsOf(deployment(spec))).toEqual({ replicas, surge, unavailable });
  });
});

describe('a rolling step', () => {
  const limits = { replicas: 10, surge: 2, unavailable: 3 };
  it.each<[string, ReplicaSet, ReplicaSet[], [string, number][]]>([
    ['scales up the new ReplicaSet as far as the surge allows', set('new', 0), [set('old', 10)], [['new', 2]]],
    ['scales down the old one as far as availability allows', set('new', 2, 0), [set('old', 10)], [['old', 7]]],
    ['deletes unhealthy pods first', set('new', 2, 0), [set('old', 8, 4), set('older', 2, 2)], [['old', 5]]],
    ['scales down a new ReplicaSet that is too large', set('new', 12), [], [['new', 10]]],
    ['does nothing when the rollout is complete', set('new', 10), [set('old', 0)], []],
    ['does nothing while too few pods are available', set('new', 5, 0), [set('old', 7)], []],
    ['scales the old one to zero when the new one is available', set('new', 10, 10), [set('old', 2)], [['old', 0]]],
  ])('%s', (_what, fresh, old, sizes) => {
    expect([...rollingStep(fresh, old, limits)]).toEqual(sizes);
  });

  it('leads from any start to the new ReplicaSet alone, and never exceeds the limits', () => {
    const arbitrary = fc.record({
      replicas: fc.integer({ min: 0, max: 12 }),
      surge: fc.nat(4),
      unavailable: fc.nat(4),
      old: fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 3 }),
      luck: fc.infiniteStream(fc.nat(3)),
    });
    fc.assert(
      fc.property(arbitrary, ({ replicas, surge, unavailable, old: start, luck }) => {
        fc.pre(surge + unavailable > 0);
        const limits = { replicas, surge, unavailable: Math.min(unavailable, Math.max(replicas, 1)) };
        let fresh = set('new', 0);
        let old = start.map(([size, available], i) => set(`old${'x'.repeat(i)}`, size, Math.min(size, available)));
        const max = Math.max(replicas + surge, total(old, desiredReplicas));
        for (let step = 0; step < 200; step++) {
          const before = total([fresh, ...old], availableOf);
          const sizes = rollingStep(fresh, old, limits);
          const apply = (each: ReplicaSet) => {
            const size = sizes.get(each.metadata.name ?? '') ?? desiredReplicas(each);
            expect(size).toBeGreaterThanOrEqual(0);
            return set(each.metadata.name ?? '', size, Math.min(size, availableOf(each)));
          };
          fresh = apply(fresh);
          old = old.map(apply);
          expect(total([fresh, ...old], desiredReplicas)).toBeLessThanOrEqual(max);
          const min = Math.min(before, replicas - limits.unavailable);
          expect(total([fresh, ...old], availableOf)).toBeGreaterThanOrEqual(min);
          // Pods become available in random steps.
          const [more = 0] = luck.take(1);
          fresh = set(
            'new',
            desiredReplicas(fresh),
            Math.min(desiredReplicas(fresh), availableOf(fresh) + (step > 100 ? 20 : more)),
          );
        }
        expect([desiredReplicas(fresh), total(old, desiredReplicas)]).toEqual([replicas, 0]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a recreating step', () => {
  it('scales down all old ReplicaSets before the new one starts', () => {
    expect([...recreateStep(set('new', 0), [set('old', 3), set('older', 0)], 4)]).toEqual([['old', 0]]);
    expect([...recreateStep(set('new', 0), [set('old', 0)], 4)]).toEqual([['new', 4]]);
    expect([...recreateStep(set('new', 4), [], 4)]).toEqual([]);
  });
});

describe('a deployment that is scaled', () => {
  const noted = (desired: number, max: number) => ({
    annotations: {
      'deployment.kubernetes.io/desired-replicas': `${desired}`,
      'deployment.kubernetes.io/max-replicas': `${max}`,
    },
  });
  const limits = (replicas: number) => ({ replicas, surge: 2, unavailable: 2 });

  it('is detected by the size that its ReplicaSets were created for', () => {
    expect(isScaled([set('a', 3, 3, noted(10, 12))], 10)).toBe(false);
    expect(isScaled([set('a', 3, 3, noted(10, 12))], 20)).toBe(true);
    expect(isScaled([set('a', 0, 0, noted(10, 12))], 20)).toBe(false);
  });

  it.each<[string, ReplicaSet | undefined, ReplicaSet[], number, [string, number][]]>([
    ['scales its only ReplicaSet', set('new', 5), [set('old', 0)], 8, [['new', 8]]],
    ['scales its newest ReplicaSet if all are empty', undefined, [set('a', 0), set('bb', 0)], 3, [['bb', 3]]],
    [
      'scales up all ReplicaSets in proportion during a rollout',
      set('new', 6, 6, noted(10, 12)),
      [set('old', 6, 6, noted(10, 12))],
      22,
      [
        ['new', 12],
        ['old', 12],
      ],
    ],
    [
      'scales down all ReplicaSets in proportion during a rollout',
      set('new', 6, 6, noted(10, 12)),
      [set('old', 6, 6, noted(10, 12))],
      4,
      [
        ['new', 3],
        ['old', 3],
      ],
    ],
    [
      'gives the remainder to the largest ReplicaSet',
      set('new', 2, 2, noted(10, 12)),
      [set('old', 10, 10, noted(10, 12))],
      11,
      [
        ['old', 11],
        ['new', 2],
      ],
    ],
    [
      'scales old ReplicaSets to zero if the new one is complete',
      set('new', 4, 4, noted(4, 6)),
      [set('old', 2, 2, noted(10, 12))],
      4,
      [['old', 0]],
    ],
    [
      'to zero scales all ReplicaSets to zero',
      set('new', 6, 6, noted(10, 12)),
      [set('old', 6, 6, noted(10, 12))],
      0,
      [
        ['new', 0],
        ['old', 0],
      ],
    ],
  ])('%s', (_what, fresh, old, replicas, sizes) => {
    expect(new Map(scaleProportionally(fresh, old, limits(replicas), true))).toEqual(new Map(sizes));
  });
});

describe('the ReplicaSets of a deployment', () => {
  it('are distinguished by their template alone', () => {
    const hashed = {
      ...set('a', 1),
      spec: {
        ...set('a', 1).spec,
        template: { ...template('a'), metadata: { labels: { app: 'web', 'pod-template-hash': 'x' } } },
      },
    };
    expect(currentSet(deployment(), [set('b', 1), hashed])?.metadata.name).toBe('a');
    expect(currentSet(deployment({ template: template('z') }), [hashed])).toBeUndefined();
  });

  it('have names derived from the template, whatever the order of its fields', () => {
    const { metadata, spec } = template();
    expect(templateHash({ spec, metadata })).toBe(templateHash(template()));
    expect(templateHash(template('b'))).not.toBe(templateHash(template()));
    expect(templateHash(template(), 1)).not.toBe(templateHash(template()));
    expect(templateHash(template())).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });

  it.each([
    ['3546343826724305832', 3546343826724305833n],
    ['none', 1n],
    ['', 1n],
  ])('count on from revision "%s", also beyond 2^53', (text, next) => {
    expect(nextRevision([set('a', 0, 0, { annotations: { 'deployment.kubernetes.io/revision': text } })])).toBe(next);
  });

  it('get a new revision on rollback, and keep their old one in the history', () => {
    const revision = (n: number) => ({ annotations: { 'deployment.kubernetes.io/revision': `${n}` } });
    const old = [set('b', 0, 0, revision(2)), set('c', 0, 0, revision(3))];
    expect(nextRevision(old)).toBe(4n);
    const back = refreshReplicaSet(set('a', 0, 0, revision(1)), deployment(), old);
    expect(back.metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '4',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(refreshReplicaSet(back, deployment(), old)).toEqual(back);
  });

  it('are kept up to the history limit, and never deleted while they have pods', () => {
    const sets = [1, 2, 3].map((n) =>
      set(`s${n}`, n === 2 ? 1 : 0, 0, { annotations: { 'deployment.kubernetes.io/revision': `${n}` } }),
    );
    expect(replicaSetsToPrune(sets, 1).map(({ metadata }) => metadata.name)).toEqual(['s1']);
    expect(replicaSetsToPrune(sets, 3)).toEqual([]);
  });
});

describe('the status of a deployment', () => {
  const conditions = (...args: Parameters<typeof deploymentStatus>) =>
    deploymentStatus(...args).status.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

  it('counts the pods of all ReplicaSets', () => {
    const { status } = deploymentStatus(deployment(), set('new', 3, 1), [set('old', 2, 2)], NOW);
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 5,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 2,
    });
  });

  it('reports the progress of a rollout', () => {
    expect(conditions(deployment(), set('new', 1, 0), [], NOW, { created: 'new' })).toEqual([
      'Available False MinimumReplicasUnavailable',
      'Progressing True NewReplicaSetCreated',
    ]);
    expect(conditions(deployment(), set('new', 4, 2), [], NOW)).toEqual([
      'Available False MinimumReplicasUnavailable',
      'Progressing True ReplicaSetUpdated',
    ]);
    expect(conditions(deployment(), set('new', 4), [], NOW)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True NewReplicaSetAvailable',
    ]);
    expect(conditions(deployment({ paused: true }), set('new', 4), [], NOW)?.[1]).toBe(
      'Progressing Unknown DeploymentPaused',
    );
  });

  it('reports a missed deadline if there was no progress', () => {
    const first = deploymentStatus(deployment({ progressDeadlineSeconds: 60 }), set('new', 4, 1), [], NOW);
    expect(first.lateInMs).toBe(60_000);
    const stuck = deployment({ progressDeadlineSeconds: 60 }, { status: first.status });
    expect(conditions(stuck, set('new', 4, 1), [], NOW + 59_000)?.[1]).toBe('Progressing True ReplicaSetUpdated');
    const late = deploymentStatus(stuck, set('new', 4, 1), [], NOW + 60_000);
    expect(late.status.conditions?.[1]).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(late.lateInMs).toBeUndefined();
  });
});
