import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '#platform/base/random';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { ClusterView } from '../framework/cluster-view.ts';
import { node, type PodOptions, placerOf, pod, schedulerHarness, ZONE } from '../harness.fixture.ts';
import { podInfoOf } from '../pod/pod-info.ts';
import { someNode, somePod } from '../random-world.fixture.ts';
import { preempt } from './preempt.ts';

const ARGS = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };
const high = (parts: PodOptions = {}) => pod('high', { priority: 100, requests: { cpu: '4' }, ...parts });
const low = (name: string, cpu: string, parts: PodOptions = {}) => pod(name, { requests: { cpu }, ...parts });

function outcome(cluster: ClusterView, candidate: Pod, budgets: readonly PodDisruptionBudget[] = []) {
  const attempt = placerOf(cluster).placer.place(podInfoOf(candidate));
  expect(attempt.chosen).toBeUndefined();
  const found = preempt(attempt, ARGS, cluster.nodes, budgets, seededRandom(1));
  if (found.victims === undefined) return found.message;
  return { node: cluster.nodes.nameAt(found.slot), victims: found.victims.map(({ name }) => name) };
}

const state = ({ nodes }: ClusterView) => [
  [...nodes.columns.cpu],
  [0, 1, 2].map((slot) => [...nodes.podsAt(slot).keys()]),
];

const budget = (app: string, disruptionsAllowed: number): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

test('no more pods are evicted than necessary', () => {
  const pods = { a: [low('small', '1'), low('mid', '2', { priority: 5 }), low('other', '1', { priority: 3 })] };
  const cluster = schedulerHarness({ nodes: [node('a')], pods });
  // The pod needs 2 CPUs: the least important pods "small" and "other" are evicted, and then it fits beside "mid".
  expect(outcome(cluster, high({ requests: { cpu: '2' } }))).toEqual({ node: 'a', victims: ['other', 'small'] });
  expect(cluster.nodes.columns.cpu[0]).toBe(4000);
});

describe('the node with the least disruption is chosen', () => {
  const CASES: readonly [what: string, a: readonly Pod[], b: readonly Pod[], expected: string][] = [
    [
      'by the lowest priority of the most important victim',
      [low('a1', '4', { priority: 9 })],
      [low('b1', '4', { priority: 8 })],
      'b',
    ],
    [
      'by the lowest sum of priorities',
      [low('a1', '2', { priority: 9 }), low('a2', '2', { priority: 9 })],
      [low('b1', '2', { priority: 9 }), low('b2', '2', { priority: 1 })],
      'b',
    ],
    ['by the number of victims', [low('a1', '2'), low('a2', '2')], [low('b1', '4')], 'b'],
    [
      'by the latest start of the most important victim',
      [low('a1', '4', { status: { startTime: '2030-01-01T00:00:00Z' } })],
      [low('b1', '4', { status: { startTime: '2030-01-02T00:00:00Z' } })],
      'b',
    ],
  ];
  test.each(CASES)('%s', (_what, a, b, expected) => {
    const cluster = schedulerHarness({ nodes: [node('a'), node('b')], pods: { a, b } });
    expect(outcome(cluster, high())).toMatchObject({ node: expected });
  });

  test('by disruption budgets first', () => {
    const pods = {
      a: [low('a1', '4', { labels: { app: 'kept' } })],
      b: [low('b1', '2', { priority: 9 }), low('b2', '2', { priority: 9 })],
    };
    const cluster = schedulerHarness({ nodes: [node('a'), node('b')], pods });
    expect(outcome(cluster, high(), [budget('kept', 0)])).toMatchObject({ node: 'b' });
    expect(outcome(cluster, high(), [budget('kept', 1)])).toMatchObject({ node: 'a' });
  });
});

test('pods whose budget allows it are evicted first among equals', () => {
  const pods = { a: [low('kept', '2', { labels: { app: 'kept' } }), low('free', '2')] };
  const cluster = schedulerHarness({ nodes: [node('a')], pods });
  expect(outcome(cluster, high({ requests: { cpu: '2' } }), [budget('kept', 0)])).toEqual({
    node: 'a',
    victims: ['free'],
  });
});

describe('preemption does not help', () => {
  const full = schedulerHarness({ nodes: [node('a')], pods: { a: [low('a1', '4', { priority: 100 })] } });
  const CASES: readonly [what: string, around: ClusterView, parts: PodOptions, expected: string][] = [
    [
      'if all pods have the same priority',
      full,
      {},
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'if the node is too small',
      full,
      { requests: { cpu: '5' } },
      'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    ],
    [
      'if the pod disables it',
      full,
      { preemptionPolicy: 'Never' },
      'preemption: not eligible due to preemptionPolicy=Never.',
    ],
    [
      'if evicting all pods of lower priority is not enough',
      schedulerHarness({ nodes: [node('a')], pods: { a: [low('a1', '1'), low('a2', '3', { priority: 100 })] } }),
      {},
      'preemption: 0/1 nodes are available: 1 Insufficient cpu.',
    ],
  ];
  test.each(CASES)('%s', (_what, cluster, parts, expected) => {
    expect(outcome(cluster, high(parts))).toBe(expected);
  });

  test('while victims of the pod are still terminating', () => {
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] as const;
    const leaving = low('a1', '4', { deleted: true, status: { conditions } });
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [leaving] } });
    expect(outcome(cluster, high({ status: { nominatedNodeName: 'a' } }))).toBe(
      'preemption: not eligible due to a terminating pod on the nominated node.',
    );
  });
});

test('existing pods with anti-affinity to the pod can be evicted', () => {
  const term = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'x' } } };
  const antiAffinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const cluster = schedulerHarness({
    nodes: [node('a', { labels: { [ZONE]: 'z' } })],
    pods: { a: [low('rude', '1', { affinity: antiAffinity }), low('kind', '1')] },
  });
  const candidate = high({ requests: { cpu: '1' }, labels: { app: 'x' } });
  expect(outcome(cluster, candidate)).toEqual({ node: 'a', victims: ['rude'] });
});

test('a terminating pod, which is not counted, is no victim of a spread constraint', () => {
  const spread = { topologyKey: 'host', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' } as const;
  const labels = { app: 'x' };
  const cluster = schedulerHarness({
    nodes: [node('a', { labels: { host: 'a' } }), node('b', { labels: { host: 'b' }, unschedulable: true })],
    pods: { a: [low('leaving', '1', { labels, deleted: true }), low('equal', '1', { labels, priority: 100 })] },
  });
  const candidate = high({
    requests: { cpu: '1' },
    labels,
    topologySpreadConstraints: [{ ...spread, nodeTaintsPolicy: 'Ignore', labelSelector: { matchLabels: labels } }],
  });
  expect(outcome(cluster, candidate)).toBe(
    'preemption: 0/2 nodes are available: ' +
      "1 Preemption is not helpful for scheduling, 1 node(s) didn't match pod topology spread constraints.",
  );
});

test('only pods of lower priority are evicted, the pod fits afterwards, and the search changes nothing', () => {
  const cluster = fc.tuple(
    fc.tuple(...['n0', 'n1', 'n2'].map(someNode)),
    fc.tuple(...Array.from({ length: 10 }, (_, i) => fc.tuple(somePod(`p${i}`), fc.integer({ min: 0, max: 2 })))),
    somePod('new'),
  );
  fc.assert(
    fc.property(cluster, ([nodes, pods, candidate]) => {
      const cluster = schedulerHarness({ nodes });
      for (const [each, on] of pods) cluster.nodes.setPod(podInfoOf(each), `n${on}`);
      const info = podInfoOf(candidate);
      const attempt = placerOf(cluster).placer.place(info);
      if (attempt.chosen !== undefined) return;
      const before = state(cluster);
      const found = preempt(attempt, ARGS, cluster.nodes, [], seededRandom(1));
      expect(state(cluster)).toEqual(before);
      if (found.victims === undefined) return;
      expect(found.victims.every(({ priority }) => priority < info.priority)).toBe(true);
      for (const { uid } of found.victims) cluster.nodes.removePod(uid);
      expect(placerOf(cluster).placer.place(info).chosen).toBeDefined();
    }),
  );
});
