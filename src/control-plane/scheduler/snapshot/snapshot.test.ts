import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { buildProfile } from '../config/build-profile.ts';
import { ExplanationStore } from '../explanation/explanation-store.ts';
import { HOSTNAME, infoOf, node, placerOf, schedulerHarness, ZONE } from '../harness.fixture.ts';
import { podInfoOf } from '../pod/pod-info.ts';
import { someNode, somePod } from '../random-world.fixture.ts';
import { NodeTree } from './node-tree.ts';
import { Snapshot } from './snapshot.ts';

const slotsOf = ({ order }: Snapshot) => order.names;

describe('the order of nodes', () => {
  const inZone = (name: string, zone: string) => node(name, { labels: { [ZONE]: zone } });
  test('alternates between zones, in the order of creation', () => {
    const tree = new NodeTree();
    const nodes = [
      inZone('a1', 'a'),
      inZone('a2', 'a'),
      inZone('a3', 'a'),
      inZone('b1', 'b'),
      node('none'),
      inZone('b2', 'b'),
    ];
    nodes.forEach((each, i) => tree.set(each, i));
    expect(tree.order.names).toEqual(['a1', 'b1', 'none', 'a2', 'b2', 'a3']);
    expect([...tree.order.slots]).toEqual([0, 3, 4, 1, 5, 2]);
  });
  test('follows a node to another zone, and drops a deleted one', () => {
    const tree = new NodeTree();
    [inZone('a1', 'a'), inZone('b1', 'b'), inZone('a2', 'a')].forEach((each, i) => tree.set(each, i));
    tree.set(inZone('a1', 'b'), 0);
    expect(tree.order.names).toEqual(['a2', 'b1', 'a1']);
    tree.remove('b1');
    expect(tree.order.names).toEqual(['a2', 'a1']);
  });
});

test('a pod may be added before its node', () => {
  const nodes = new Snapshot();
  nodes.setPod(infoOf('p', { requests: { cpu: '1' } }), 'late');
  expect(nodes.size).toBe(0);
  nodes.setNode(node('late'));
  const slot = nodes.slotOf('late') ?? -1;
  expect([nodes.columns.cpu[slot], nodes.columns.allocatableCpu[slot]]).toEqual([1000, 4000]);
});

test('a slot is reused only when no pod refers to it', () => {
  const nodes = new Snapshot();
  nodes.setNode(node('a'));
  nodes.setPod(infoOf('p'), 'a');
  nodes.removeNode('a');
  nodes.setNode(node('b'));
  expect(nodes.slotOf('b')).toBe(1);
  nodes.removePod('uid-default-p');
  nodes.setNode(node('c'));
  expect(nodes.slotOf('c')).toBe(0);
  expect(nodes.columns.pods[0]).toBe(0);
});

test('a returned list of names does not change', () => {
  const nodes = new Snapshot();
  nodes.setNode(node('a'));
  const { names } = nodes;
  nodes.removeNode('a');
  nodes.setNode(node('b'));
  expect([names, nodes.names]).toEqual([['a'], ['b']]);
});

test('a temporary removal leaves no trace', () => {
  const nodes = new Snapshot();
  nodes.setNode(node('a'));
  const other = infoOf('o', { requests: { cpu: '2' }, labels: { app: 'x' } });
  nodes.setPod(other, 'a');
  nodes.suppose(other, 0, -1);
  expect([nodes.columns.cpu[0], nodes.podsAt(0).size]).toEqual([0, 0]);
  nodes.suppose(other, 0, 1);
  expect([nodes.columns.cpu[0], nodes.podsAt(0).size]).toEqual([2000, 1]);
});

type Event =
  | { readonly do: 'set node'; readonly node: Node }
  | { readonly do: 'remove node'; readonly name: string }
  | { readonly do: 'set pod'; readonly pod: Pod; readonly on: string }
  | { readonly do: 'remove pod'; readonly name: string }
  /** Makes the snapshot cache counts that it must keep up to date from then on. */
  | { readonly do: 'ask'; readonly pod: Pod };

const nodeName = fc.integer({ min: 0, max: 4 }).map((i) => `n${i}`);
const podName = fc.integer({ min: 0, max: 9 }).map((i) => `p${i}`);
const event: fc.Arbitrary<Event> = fc.oneof(
  nodeName.chain(someNode).map((each) => ({ do: 'set node', node: each }) as const),
  nodeName.map((name) => ({ do: 'remove node', name }) as const),
  fc.tuple(podName.chain(somePod), nodeName).map(([each, on]) => ({ do: 'set pod', pod: each, on }) as const),
  podName.map((name) => ({ do: 'remove pod', name }) as const),
  somePod('asking').map((each) => ({ do: 'ask', pod: each }) as const),
);

test('incremental changes lead to the same snapshot as building it from the final state', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), somePod('new'), (events, candidate) => {
      const followed = schedulerHarness();
      const nodes = new Map<string, Node>();
      const pods = new Map<string, { pod: Pod; on: string }>();
      for (const each of events) {
        if (each.do === 'ask') placerOf(followed).placer.place(podInfoOf(each.pod));
        else if (each.do === 'set node') {
          nodes.set(each.node.metadata.name ?? '', each.node);
          followed.nodes.setNode(each.node);
        } else if (each.do === 'remove node') {
          nodes.delete(each.name);
          followed.nodes.removeNode(each.name);
        } else if (each.do === 'set pod') {
          pods.set(each.pod.metadata.name ?? '', { pod: each.pod, on: each.on });
          followed.nodes.setPod(podInfoOf(each.pod), each.on);
        } else {
          pods.delete(each.name);
          followed.nodes.removePod(`uid-default-${each.name}`);
        }
      }
      const rebuilt = schedulerHarness();
      // The nodes are added in the order in which they are checked, because that must be equal too.
      for (const name of slotsOf(followed.nodes)) rebuilt.nodes.setNode(nodes.get(name) as Node);
      for (const { pod: each, on } of pods.values()) rebuilt.nodes.setPod(podInfoOf(each), on);
      expect([...nodes.keys()].sort()).toEqual([...slotsOf(followed.nodes)].sort());
      expect(decision(followed, candidate)).toEqual(decision(rebuilt, candidate));
    }),
  );
});

/** Returns the full scheduling result of a pod, node by node. */
function decision(cluster: ReturnType<typeof schedulerHarness>, candidate: Pod) {
  const store = new ExplanationStore();
  const attempt = placerOf(cluster, buildProfile()).placer.place(podInfoOf(candidate));
  store.record(attempt, cluster.nodes.names, { scheduler: '', at: 0, attempt: 1 });
  const [explained] = store.explanationOf('default', 'new');
  return explained?.nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

test('hosts are distinguished by their label, not by their name', () => {
  const nodes = new Snapshot();
  nodes.setNode(node('a', { labels: { [HOSTNAME]: 'same' } }));
  nodes.setNode(node('b', { labels: { [HOSTNAME]: 'same' } }));
  const { values } = nodes.topology.of(HOSTNAME);
  expect(values[0]).toBe(values[1]);
  nodes.setNode(node('b', { labels: { [HOSTNAME]: 'other' } }));
  expect(values[0]).not.toBe(nodes.topology.of(HOSTNAME).values[1]);
});
