import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClusterView } from '../framework/cluster-view.ts';
import { infoOf, node, type PodOptions, placerOf, pod, schedulerHarness } from '../harness.fixture.ts';
import { ExplanationStore, type ExplanationStoreOptions } from './explanation-store.ts';

function recording(cluster: ClusterView, options?: ExplanationStoreOptions) {
  const store = new ExplanationStore(options);
  const { placer } = placerOf(cluster);
  const record = (name: string, parts: PodOptions = {}) =>
    store.record(placer.place(infoOf(name, parts)), cluster.nodes.names, {
      scheduler: 'default-scheduler',
      at: Date.UTC(2030, 0, 1),
      attempt: 1,
    });
  return { store, record };
}

test('an attempt is explained node by node, with rejecting plugins and scores', () => {
  const cluster = schedulerHarness({
    nodes: [node('cordoned', { unschedulable: true }), node('busy'), node('free')],
    pods: { busy: [pod('o', { requests: { cpu: '2', memory: '4Gi' } })] },
  });
  const { store, record } = recording(cluster);
  record('p', { requests: { cpu: '1', memory: '2Gi' } });
  const [explained] = store.explanationOf('default', 'p');
  expect(explained).toMatchObject({
    namespace: 'default',
    name: 'p',
    uid: 'uid-default-p',
    scheduler: 'default-scheduler',
    time: '2030-01-01T00:00:00.000Z',
    node: 'free',
    nodesInCluster: 3,
  });
  expect(explained?.nodes.map(({ name, total }) => [name, total])).toEqual([
    ['free', 450],
    ['busy', 400],
    ['cordoned', undefined],
  ]);
  expect(explained?.nodes[0]?.scores).toMatchObject({
    TaintToleration: { raw: 0, normalised: 100, weight: 3, weighted: 300 },
    NodeResourcesFit: { raw: 75, normalised: 75, weight: 1, weighted: 75 },
  });
  expect(explained?.nodes[2]).toEqual({
    name: 'cordoned',
    suits: false,
    refusedBy: 'NodeUnschedulable',
    reasons: ['node(s) were unschedulable'],
  });
  expect(JSON.parse(JSON.stringify(explained))).toEqual(explained);
});

test('nodes that were deleted since keep their names', () => {
  const cluster = schedulerHarness({ nodes: [node('old')] });
  const { store, record } = recording(cluster);
  record('p');
  cluster.nodes.removeNode('old');
  cluster.nodes.setNode(node('new'));
  record('q');
  expect(store.explanationOf('default', 'p')[0]?.node).toBe('old');
  expect(store.explanationOf('default', 'q')[0]?.node).toBe('new');
});

test('the newest attempt comes first, and an unknown pod has none', () => {
  const cluster = schedulerHarness({ nodes: [node('a')] });
  const { store, record } = recording(cluster);
  record('p', { requests: { cpu: '9' } });
  record('p');
  expect(store.explanationOf('default', 'p').map((each) => each.node)).toEqual(['a', undefined]);
  expect(store.explanationOf('default', 'nobody')).toEqual([]);
});

test('a limited number of attempts is kept, whatever their size', () => {
  const size = fc.record({ nodes: fc.integer({ min: 1, max: 12 }), refused: fc.integer({ min: 0, max: 12 }) });
  fc.assert(
    fc.property(fc.array(size, { maxLength: 40 }), fc.integer({ min: 20, max: 200 }), (sizes, figures) => {
      const store = new ExplanationStore({ figures, attempts: 10 });
      const known: { name: string; nodes: string[] }[] = [];
      for (const [i, { nodes, refused: rejected }] of sizes.entries()) {
        const names = Array.from({ length: nodes + rejected }, (_, j) => `${i}-${j}`);
        const cluster = schedulerHarness({ nodes: names.map((name, j) => node(name, { unschedulable: j >= nodes })) });
        const { placer } = placerOf(cluster);
        store.record(placer.place(infoOf(`p${i}`)), cluster.nodes.names, { scheduler: '', at: 0, attempt: 1 });
        known.push({ name: `p${i}`, nodes: names });
      }
      const kept = known.filter(({ name }) => store.explanationOf('default', name).length > 0);
      expect(kept.length).toBeLessThanOrEqual(10);
      // Retained attempts are complete and belong to their pod.
      for (const { name, nodes } of kept) {
        const [explained] = store.explanationOf('default', name);
        expect(explained?.nodes.map((each) => each.name).sort()).toEqual(nodes.toSorted());
      }
    }),
  );
});
