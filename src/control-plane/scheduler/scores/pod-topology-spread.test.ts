import { expect, test } from 'vitest';
import { HOSTNAME, node, pod, schedulerHarness, scoresOf, ZONE } from '../harness.fixture.ts';
import { BUILT_IN_SPREAD, type SpreadDefaults } from '../spread/spread-defaults.ts';
import { podTopologySpreadScore } from './pod-topology-spread.ts';

const score = podTopologySpreadScore(BUILT_IN_SPREAD);
const labels = { app: 'a' };
const soft = (topologyKey: string, maxSkew = 1) => ({
  maxSkew,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: labels },
});
const inZone = (name: string, zone: string) => node(name, { labels: { [ZONE]: zone } });
let made = 0;
const some = (count: number) => Array.from({ length: count }, () => pod(`other-${made++}`, { labels }));

test('domains with fewer pods score higher', () => {
  const cluster = schedulerHarness({
    nodes: [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b', 'b')],
    pods: { a1: some(3), b: some(1) },
  });
  const scores = scoresOf(score, pod('p', { topologySpreadConstraints: [soft(ZONE)] }), cluster);
  // Two zones have the weight ln 4 = 1.386; a: 3*1.386 = 4.16 -> 4; b: 1.39 -> 1. 100*(4+1-4)/4 = 25; 100*(4+1-1)/4 =
  // 100.
  expect(scores?.raw).toEqual({ a1: 4, a2: 4, b: 1 });
  expect(scores?.normalised).toEqual({ a1: 25, a2: 25, b: 100 });
});

test('each node is a domain of the hostname key', () => {
  const cluster = schedulerHarness({ nodes: [node('a'), node('b'), node('c')], pods: { a: some(2) } });
  const scores = scoresOf(score, pod('p', { topologySpreadConstraints: [soft(HOSTNAME, 3)] }), cluster);
  // Three nodes have the weight ln 5 = 1.609; a: 2*1.609+2 = 5.2 -> 5; others: 2.
  expect(scores?.raw).toEqual({ a: 5, b: 2, c: 2 });
  expect(scores?.normalised).toEqual({ a: 40, b: 100, c: 100 });
});

test('a node without the label scores zero, and all others are equal without pods', () => {
  const cluster = schedulerHarness({ nodes: [inZone('a', 'a'), inZone('b', 'b'), node('nowhere')] });
  const scores = scoresOf(score, pod('p', { topologySpreadConstraints: [soft(ZONE)] }), cluster);
  expect(scores?.normalised).toEqual({ a: 100, b: 100, nowhere: 0 });
});

test('pods of a service spread by default, and nodes may lack labels then', () => {
  const nodes = [inZone('a', 'a'), inZone('b', 'b'), node('nowhere')];
  const cluster = schedulerHarness({ nodes, pods: { a: some(2) }, service: labels });
  const scores = scoresOf(score, pod('p', { labels }), cluster);
  // Hosts have the weight ln 5 = 1.609 and skew 3; zones a, b and those without have the weight ln 5 and skew 5. a:
  // 2*1.609+2 + 2*1.609+4 = 12.4 -> 12; b: 2+4 = 6; nowhere: 2.
  expect(scores?.raw).toEqual({ a: 12, b: 6, nowhere: 2 });
  expect(scoresOf(score, pod('p', { labels: { app: 'lonely' } }), cluster)).toBeUndefined();
});

test('the default constraints can be replaced or removed', () => {
  const constraints = [{ topologyKey: HOSTNAME, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' }] as const;
  const custom: SpreadDefaults = { builtIn: false, constraints };
  const cluster = schedulerHarness({ nodes: [node('a'), node('b')], pods: { a: some(1) }, service: labels });
  // ln 4 = 1.386 -> 1
  expect(scoresOf(podTopologySpreadScore(custom), pod('p', { labels }), cluster)?.raw).toEqual({ a: 1, b: 0 });
  const none = podTopologySpreadScore({ builtIn: false, constraints: [] });
  expect(scoresOf(none, pod('p', { labels }), cluster)).toBeUndefined();
});
