import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '#platform/kube/kinds/pod';
import { labelSelectorOfSet } from '#platform/kube/selectors/label-selector';
import { planClaims } from '#platform/runtime/ownership/plan-claims';
import { podsToDelete } from './pods-to-delete.ts';
import { replicaStatus } from './replica-status.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

interface Looks {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
  readonly more?: object;
}
const pod = (
  name: string,
  { node = 'n', phase = 'Running', ready = 100, cost, restarts = 0, age = 100, more = {} }: Looks = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    creationTimestamp: ago(age),
    ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    ...more,
  },
  spec: { nodeName: node, containers: [] },
  status: {
    phase,
    containerStatuses: [{ restartCount: restarts }],
    conditions: [{ type: 'Ready', status: ready < 0 ? 'False' : 'True', lastTransitionTime: ago(Math.abs(ready)) }],
  },
});
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe('if there are too many pods,', () => {
  it.each<[string, Pod, Pod]>([
    ['one without a node is deleted before one with a node', pod('z', { node: '' }), pod('a')],
    ['a pending one is deleted before a running one', pod('z', { phase: 'Pending' }), pod('a', { phase: 'Running' })],
    ['one that is not ready is deleted before a ready one', pod('z', { ready: -1 }), pod('a')],
    ['one with a lower deletion cost is deleted first', pod('z', { cost: '-5' }), pod('a', { cost: '10' })],
    ['an invalid deletion cost counts as zero', pod('z', { cost: 'much' }), pod('a', { cost: '1' })],
    ['one that became ready later is deleted first', pod('z', { ready: 10 }), pod('a', { ready: 10_000 })],
    ['one with more restarts is deleted first', pod('z', { restarts: 3 }), pod('a')],
    ['a younger one is deleted first', pod('z', { age: 1 }), pod('a', { age: 5000 })],
    ['the uid decides between two of similar age', pod('a', { age: 101 }), pod('z', { age: 100 })],
  ])('%s', (_what, first, second) => {
    expect(names(podsToDelete([second, first], 1, [], NOW))).toEqual(names([first]));
    expect(names(podsToDelete([first, second], 1, [], NOW))).toEqual(names([first]));
  });

  it('one on the fullest node is deleted first', () => {
    const [a, b, c] = [pod('a', { node: 'one' }), pod('b', { node: 'two' }), pod('c', { node: 'two' })];
    expect(names(podsToDelete([a, b, c], 1, [a, b, c], NOW))).toEqual(['b']);
  });

  it('as many as requested are deleted, and none that ranks above one that stays', () => {
    const looks = fc.record({
      node: fc.constantFrom('', 'n'),
      phase: fc.constantFrom('Pending', 'Unknown', 'Running'),
      ready: fc.integer({ min: -2, max: 50 }),
      cost: fc.constantFrom('-1', '0', '7'),
    });
    // The ranks that do not depend on the logarithm of a time, the least useful pod first.
    const rank = ({ spec, status, metadata }: Pod) => [
      spec.nodeName === '' ? 0 : 1,
      ['Pending', 'Unknown', 'Running'].indexOf(status?.phase ?? ''),
      status?.conditions?.[0]?.status === 'True' ? 1 : 0,
      Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost']),
    ];
    const isBelow = (a: Pod, b: Pod) => {
      const [ranks, others] = [rank(a), rank(b)];
      const first = ranks.findIndex((each, i) => each !== others[i]);
      return first !== -1 && (ranks[first] ?? 0) < (others[first] ?? 0);
    };
    fc.assert(
      fc.property(fc.array(looks, { minLength: 1, maxLength: 12 }), fc.nat(12), (all, count) => {
        const pods = all.map((look, i) => pod(`p${i}`, look));
        const deleted = podsToDelete(pods, count, [], NOW);
        expect(deleted).toHaveLength(Math.min(count, pods.length));
        const kept = pods.filter((each) => !deleted.includes(each));
        for (const one of kept) expect(names(deleted.filter((each) => isBelow(one, each)))).toEqual([]);
      }),
    );
  });
});

describe('an owner', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'o', uid: 'me' } };
  const selector = labelSelectorOfSet({ app: 'web' });
  const of = (name: string, uid: string | undefined, app: string, more: object = {}) =>
    pod(name, {
      more: {
        labels: { app },
        ...(uid === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }] }),
        ...more,
      },
    });
  const pods = [
    of('mine', 'me', 'web'),
    of('stray', 'me', 'db'),
    of('free', undefined, 'web'),
    of('other', 'you', 'web'),
    of('unfit', undefined, 'db'),
    of('ending', undefined, 'web', { deletionTimestamp: 'now' }),
    of('leaving', 'me', 'web', { deletionTimestamp: 'now' }),
  ];
  it('keeps matching pods, adopts those without an owner, and releases those that no longer match', () => {
    const { owned, adopt, release } = planClaims(owner, selector, pods);
    expect([names(owned), names(adopt), names(release)]).toEqual([['mine', 'leaving'], ['free'], ['stray']]);
  });
  it('that is terminating neither adopts nor releases pods', () => {
    const dying = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: 'now' } };
    const { owned, adopt, release } = planClaims(dying, selector, pods);
    expect([names(owned), names(adopt), names(release)]).toEqual([['mine', 'leaving'], [], []]);
  });
});

describe('the status of replicas', () => {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'o', generation: 4 },
    spec: { minReadySeconds: 60, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } },
  };
  it('counts total, ready and available pods, and returns when the next becomes available', () => {
    const pods = [
      pod('old', { ready: 100, more: { labels: { a: 'b' } } }),
      pod('new', { ready: 50 }),
      pod('newer', { ready: 20 }),
      pod('not', { ready: -5 }),
      pod('done', { phase: 'Succeeded' }),
      pod('going', { more: { deletionTimestamp: 'now' } }),
    ];
    expect(replicaStatus(owner, pods, undefined, NOW, 'now')).toEqual({
      status: {
        replicas: 4,
        fullyLabeledReplicas: 1,
        readyReplicas: 3,
        availableReplicas: 1,
        terminatingReplicas: 1,
        observedGeneration: 4,
      },
      againMs: 10_000,
    });
  });
  it('reports a failure until it is resolved', () => {
    const failure = { reason: 'FailedCreate' as const, message: 'no room' };
    const { status } = replicaStatus(owner, [], failure, NOW, 'first');
    expect(status.conditions).toEqual([
      { type: 'ReplicaFailure', status: 'True', ...failure, lastTransitionTime: 'first' },
    ]);
    const again = replicaStatus({ ...owner, status }, [], { ...failure, message: 'still' }, NOW, 'second');
    expect(again.status.conditions).toEqual(status.conditions);
    expect(replicaStatus({ ...owner, status }, [], undefined, NOW, 'third').status.conditions).toBeUndefined();
  });
});
