import { expect, test } from 'vitest';
import { HOSTNAME, node, pod, schedulerHarness, scoresOf, ZONE } from '../harness.fixture.ts';
import { interPodAffinityScore } from './inter-pod-affinity.ts';

const score = interPodAffinityScore();
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const term = (app: string, topologyKey = ZONE) => ({ topologyKey, labelSelector: { matchLabels: { app } } });
const likes = (rules: string, app: string, weight: number, key?: string) => ({
  affinity: { [rules]: { [PREFERRED]: [{ weight, podAffinityTerm: term(app, key) }] } },
});
const nodes = [
  node('a1', { labels: { [ZONE]: 'a' } }),
  node('a2', { labels: { [ZONE]: 'a' } }),
  node('b', { labels: { [ZONE]: 'b' } }),
];
const x = (name: string, more: object = {}) => pod(name, { labels: { app: 'x' }, ...more });

test('preferred affinity adds its weight for each matching pod in the domain', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1'), x('2')], b: [x('3')] } });
  const scores = scoresOf(score, pod('p', likes('podAffinity', 'x', 5)), cluster);
  expect(scores?.raw).toEqual({ a1: 10, a2: 10, b: 5 });
  expect(scores?.normalised).toEqual({ a1: 100, a2: 100, b: 0 });
});

test('preferred anti-affinity subtracts its weight', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1')] } });
  const scores = scoresOf(score, pod('p', likes('podAntiAffinity', 'x', 7, HOSTNAME)), cluster);
  expect(scores?.raw).toEqual({ a1: -7, a2: 0, b: 0 });
  expect(scores?.normalised).toEqual({ a1: 0, a2: 100, b: 100 });
});

test('preferences of existing pods count too', () => {
  const cluster = schedulerHarness({
    nodes,
    pods: { a1: [x('1', likes('podAffinity', 'y', 30))], b: [x('2', likes('podAntiAffinity', 'y', 10))] },
  });
  const scores = scoresOf(score, pod('p', { labels: { app: 'y' } }), cluster);
  expect(scores?.raw).toEqual({ a1: 30, a2: 30, b: -10 });
  expect(scores?.normalised).toEqual({ a1: 100, a2: 100, b: 0 });
});

test('required affinity of existing pods counts with hardPodAffinityWeight', () => {
  const must = { affinity: { podAffinity: { [REQUIRED]: [term('y')] } } };
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1', must)] } });
  const y = pod('p', { labels: { app: 'y' } });
  expect(scoresOf(score, y, cluster)?.raw).toEqual({ a1: 1, a2: 1, b: 0 });
  const heavy = { hardPodAffinityWeight: 40, ignorePreferredTermsOfExistingPods: false };
  expect(scoresOf(interPodAffinityScore(heavy), y, cluster)?.raw).toEqual({ a1: 40, a2: 40, b: 0 });
  const none = { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: false };
  expect(scoresOf(interPodAffinityScore(none), y, cluster)).toBeUndefined();
});

test('preferences of existing pods can be ignored', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1', likes('podAffinity', 'y', 30))] } });
  const deaf = { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: true };
  expect(scoresOf(interPodAffinityScore(deaf), pod('p', { labels: { app: 'y' } }), cluster)).toBeUndefined();
});

test('equal scores are normalized to zero', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1')], b: [x('2')] } });
  const scores = scoresOf(score, pod('p', likes('podAffinity', 'x', 5)), cluster);
  expect(scores?.normalised).toEqual({ a1: 0, a2: 0, b: 0 });
});
