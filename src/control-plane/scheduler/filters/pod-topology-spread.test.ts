import { describe, expect, test } from 'vitest';
import { filterResults, HOSTNAME, node, type PodOptions, pod, schedulerHarness, ZONE } from '../harness.fixture.ts';
import { podInfoOf } from '../pod/pod-info.ts';
import { BUILT_IN_SPREAD } from '../spread/spread-defaults.ts';
import { podTopologySpread } from './pod-topology-spread.ts';

const filter = podTopologySpread(BUILT_IN_SPREAD);
const UNEVEN = "node(s) didn't match pod topology spread constraints";
const NO_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)";
const labels = { app: 'a' };
const constraint = (more: object = {}) => ({
  maxSkew: 1,
  topologyKey: ZONE,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: labels },
  ...more,
});
const spreading = (...topologySpreadConstraints: object[]) => pod('p', { labels, topologySpreadConstraints });
const inZone = (name: string, zone: string) => node(name, { labels: { [ZONE]: zone } });
let made = 0;
const some = (count: number, parts: PodOptions = { labels }) =>
  Array.from({ length: count }, () => pod(`other-${made++}`, parts));

describe('the skew of zones is limited', () => {
  const nodes = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b', 'b'), node('nowhere')];
  const CASES: readonly [what: string, a: number, b: number, more: object, expected: Record<string, string>][] = [
    ['equal zones accept the pod', 1, 1, {}, { a1: '', a2: '', b: '' }],
    ['the fuller zone rejects the pod', 2, 1, {}, { a1: UNEVEN, a2: UNEVEN, b: '' }],
    ['a larger skew allows more', 2, 1, { maxSkew: 2 }, { a1: '', a2: '', b: '' }],
    [
      'the minimum is zero with fewer domains than minDomains',
      1,
      1,
      { minDomains: 3 },
      { a1: UNEVEN, a2: UNEVEN, b: UNEVEN },
    ],
    ['other pods do not count', 2, 1, { labelSelector: { matchLabels: { app: 'b' } } }, { a1: '', a2: '', b: '' }],
  ];
  test.each(CASES)('%s', (_what, a, b, more, expected) => {
    const cluster = schedulerHarness({ nodes, pods: { a1: some(a), b: some(b) } });
    expect(filterResults(filter, spreading(constraint(more)), cluster)).toEqual({ ...expected, nowhere: NO_LABEL });
  });
});

test('pods of other namespaces and terminating pods do not count', () => {
  const pods = { a: [...some(3, { labels, deleted: true }), ...some(3, { labels, namespace: 'other' })] };
  const cluster = schedulerHarness({ nodes: [inZone('a', 'a'), inZone('b', 'b')], pods });
  expect(filterResults(filter, spreading(constraint()), cluster)).toEqual({ a: '', b: '' });
});

test('nodes outside the node affinity of the pod count only if the constraint includes them', () => {
  const nodes = [inZone('a', 'a'), node('b', { labels: { [ZONE]: 'b', off: 'x' } })];
  const cluster = schedulerHarness({ nodes, pods: { a: some(1) } });
  const elsewhere = { nodeSelector: { [HOSTNAME]: 'a' }, labels };
  const honoring = pod('p', { ...elsewhere, topologySpreadConstraints: [constraint()] });
  const ignoring = pod('p', {
    ...elsewhere,
    topologySpreadConstraints: [constraint({ nodeAffinityPolicy: 'Ignore' })],
  });
  expect(filterResults(filter, honoring, cluster)).toMatchObject({ a: '' });
  expect(filterResults(filter, ignoring, cluster)).toMatchObject({ a: UNEVEN });
});

test('tainted nodes count unless the constraint excludes them', () => {
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  const cluster = schedulerHarness({
    nodes: [inZone('a', 'a'), node('b', { labels: { [ZONE]: 'b' }, taints })],
    pods: { a: some(1) },
  });
  expect(filterResults(filter, spreading(constraint()), cluster)).toMatchObject({ a: UNEVEN });
  expect(filterResults(filter, spreading(constraint({ nodeTaintsPolicy: 'Honor' })), cluster)).toMatchObject({ a: '' });
});

test('matchLabelKeys takes the revision from the pod itself', () => {
  const cluster = schedulerHarness({
    nodes: [inZone('a', 'a'), inZone('b', 'b')],
    pods: { a: some(2, { labels: { app: 'a', rev: '1' } }) },
  });
  const revision = (rev: string) =>
    pod('p', { labels: { app: 'a', rev }, topologySpreadConstraints: [constraint({ matchLabelKeys: ['rev'] })] });
  expect(filterResults(filter, revision('1'), cluster)).toEqual({ a: UNEVEN, b: '' });
  expect(filterResults(filter, revision('2'), cluster)).toEqual({ a: '', b: '' });
});

test('a pod without hard constraints passes the filter', () => {
  const cluster = schedulerHarness({ nodes: [inZone('a', 'a')] });
  expect(filterResults(filter, spreading(constraint({ whenUnsatisfiable: 'ScheduleAnyway' })), cluster)).toBe('-');
});

test('assumed additions and removals of pods change the count', () => {
  const [other] = some(1);
  if (other === undefined) throw new Error('no pod');
  const cluster = schedulerHarness({ nodes: [inZone('a', 'a'), inZone('b', 'b')], pods: { a: [other] } });
  const prepared = filter.prepare(podInfoOf(spreading(constraint())), cluster);
  if (prepared === undefined || !('check' in prepared)) throw new Error('nothing to check');
  const reason = () => prepared.check(0)?.reasons[0];
  expect(reason()).toBe(UNEVEN);
  prepared.supposed?.(0, podInfoOf(other), -1);
  expect(reason()).toBeUndefined();
  prepared.supposed?.(0, podInfoOf(other), 1);
  expect(reason()).toBe(UNEVEN);
});
