import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildProfile } from '../config/build-profile.ts';
import { chosenFor, infoOf, node, placerOf, pod, schedulerHarness } from '../harness.fixture.ts';
import { podInfoOf } from '../pod/pod-info.ts';
import { someNode, somePod } from '../random-world.fixture.ts';
import { fitMessage } from './diagnosis.ts';

test('the emptiest node is chosen', () => {
  const cluster = schedulerHarness({
    nodes: [node('a'), node('b'), node('c')],
    pods: { a: [pod('1', { requests: { cpu: '2' } })], c: [pod('2', { requests: { cpu: '1' } })] },
  });
  expect(chosenFor(pod('p', { requests: { cpu: '1' } }), cluster)).toBe('b');
});

test('equal nodes are chosen in turn', () => {
  const cluster = schedulerHarness({ nodes: [node('a'), node('b'), node('c')] });
  const { placer } = placerOf(cluster);
  const chosen = Array.from({ length: 6 }, (_, i) => {
    const info = infoOf(`p${i}`, { requests: { cpu: '1', memory: '1Gi' } });
    const name = cluster.nodes.nameAt(placer.place(info).chosen ?? -1);
    cluster.nodes.setPod(info, name);
    return name;
  });
  expect(chosen).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('a single feasible node is chosen without scoring', () => {
  const cluster = schedulerHarness({ nodes: [node('a', { unschedulable: true }), node('b')] });
  const attempt = placerOf(cluster).placer.place(infoOf('p'));
  expect([cluster.nodes.nameAt(attempt.chosen ?? -1), attempt.scored]).toEqual(['b', []]);
});

test('the nominated node is checked first', () => {
  const cluster = schedulerHarness({
    nodes: [node('a'), node('b')],
    pods: { b: [pod('o', { requests: { cpu: '2' } })] },
  });
  const waiting = pod('p', { status: { nominatedNodeName: 'b' } });
  expect(chosenFor(waiting, cluster)).toBe('b');
  expect(chosenFor(pod('p', { status: { nominatedNodeName: 'gone' } }), cluster)).toBe('a');
});

describe('nominated pods', () => {
  const cluster = schedulerHarness({ nodes: [node('a')] });
  const { placer, nominated } = placerOf(cluster);
  nominated.set(infoOf('waiting', { requests: { cpu: '3' }, priority: 10 }), 'a');
  test.each([
    ['are counted for pods of no higher priority', 10, undefined],
    ['are not counted for pods of higher priority', 11, 0],
  ])('%s', (_what, priority, expected) => {
    expect(placer.place(infoOf('p', { requests: { cpu: '2' }, priority })).chosen).toBe(expected);
  });
  test('are not counted for themselves', () => {
    expect(placer.place(infoOf('waiting', { requests: { cpu: '3' }, priority: 10 })).chosen).toBe(0);
    expect(cluster.nodes.columns.cpu[0]).toBe(0);
  });
});

test('a large cluster is searched in parts, one after the other', () => {
  const nodes = Array.from({ length: 200 }, (_, i) => node(`n${i}`));
  const cluster = schedulerHarness({ nodes });
  const { placer } = placerOf(cluster, buildProfile({ percentageOfNodesToScore: 50 }));
  const looked = [1, 2, 3].map((i) => {
    const { feasible, feasibleCount } = placer.place(infoOf(`p${i}`));
    return [cluster.nodes.nameAt(feasible[0] ?? -1), feasibleCount];
  });
  expect(looked).toEqual([
    ['n0', 100],
    ['n100', 100],
    ['n0', 100],
  ]);
});

test('nodes that the affinity does not name are not checked', () => {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['b', 'gone'] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const cluster = schedulerHarness({ nodes: [node('a'), node('b', { unschedulable: true }), node('c')] });
  const { diagnosis } = placerOf(cluster).placer.place(infoOf('p', { affinity }));
  expect(diagnosis && fitMessage(diagnosis)).toBe(
    "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
  );
});

test('a chosen node passes every filter, and a node is chosen if any passes', () => {
  const cluster = fc.tuple(
    fc.tuple(...['n0', 'n1', 'n2', 'n3'].map(someNode)),
    fc.tuple(...Array.from({ length: 8 }, (_, i) => fc.tuple(somePod(`p${i}`), fc.integer({ min: 0, max: 3 })))),
    somePod('new'),
  );
  fc.assert(
    fc.property(cluster, ([nodes, pods, candidate]) => {
      const cluster = schedulerHarness({ nodes });
      for (const [each, on] of pods) cluster.nodes.setPod(podInfoOf(each), `n${on}`);
      const info = podInfoOf(candidate);
      const { chosen } = placerOf(cluster).placer.place(info);
      const prepared = buildProfile()
        .filters.map((filter) => filter.prepare(info, cluster))
        .filter((each) => each !== undefined);
      const suits = (slot: number) => prepared.every((each) => 'check' in each && each.check(slot) === undefined);
      const suiting = [0, 1, 2, 3].filter(suits);
      if (chosen === undefined) expect(suiting).toEqual([]);
      else expect(suiting).toContain(chosen);
    }),
  );
});
