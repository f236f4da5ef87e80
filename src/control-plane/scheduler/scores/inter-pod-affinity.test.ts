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

test('a pod likes places with pods that it names, each one counts', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1'), x('2')], b: [x('3')] } });
  const scores = scoresOf(score, pod('p', likes('podAffinity', 'x', 5)), cluster);
  expect(scores?.raw).toEqual({ a1: 10, a2: 10, b: 5 });
  expect(scores?.normalised).toEqual({ a1: 100, a2: 100, b: 0 });
});

test('and dislikes others', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1')] } });
  const scores = scoresOf(score, pod('p', likes('podAntiAffinity', 'x', 7, HOSTNAME)), cluster);
  expect(scores?.raw).toEqual({ a1: -7, a2: 0, b: 0 });
  expect(scores?.normalised).toEqual({ a1: 0, a2: 100, b: 100 });
});

test('what pods that are there like counts too', () => {
  const cluster = schedulerHarness({
    nodes,
    pods: { a1: [x('1', likes('podAffinity', 'y', 30))], b: [x('2', likes('podAntiAffinity', 'y', 10))] },
  });
  const scores = scoresOf(score, pod('p', { labels: { app: 'y' } }), cluster);
  expect(scores?.raw).toEqual({ a1: 30, a2: 30, b: -10 });
  expect(scores?.normalised).toEqual({ a1: 100, a2: 100, b: 0 });
});

test('a pod that must be near the new one counts as much as is configured', () => {
  const must = { affinity: { podAffinity: { [REQUIRED]: [term('y')] } } };
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1', must)] } });
  const y = pod('p', { labels: { app: 'y' } });
  expect(scoresOf(score, y, cluster)?.raw).toEqual({ a1: 1, a2: 1, b: 0 });
  const heavy = { hardPodAffinityWeight: 40, ignorePreferredTermsOfExistingPods: false };
  expect(scoresOf(interPodAffinityScore(heavy), y, cluster)?.raw).toEqual({ a1: 40, a2: 40, b: 0 });
  const none = { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: false };
  expect(scoresOf(interPodAffinityScore(none), y, cluster)).toBeUndefined();
});

test('likes of pods that are there can be ignored', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1', likes('podAffinity', 'y', 30))] } });
  const deaf = { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: true };
  expect(scoresOf(interPodAffinityScore(deaf), pod('p', { labels: { app: 'y' } }), cluster)).toBeUndefined();
});

test('where all places are liked the same nothing is added', () => {
  const cluster = schedulerHarness({ nodes, pods: { a1: [x('1')], b: [x('2')] } });
  const scores = scoresOf(score, pod('p', likes('podAffinity', 'x', 5)), cluster);
  expect(scores?.normalised).toEqual({ a1: 0, a2: 0, b: 0 });
});
