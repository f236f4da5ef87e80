import { expect, test } from 'vitest';
import type { Node } from '#platform/kube/kinds/node';
import type { NodePool } from '#vm/node/simulated/node-pool';
import { formatNodeChanges, planNodeChanges } from './align-nodes.ts';

const node = (name: string): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
const present = [1, 2, 3].map((number) => node(`kwok-node-${number}`));
const pool = (change: Partial<NodePool> = {}): NodePool[] => [{ count: 3, ...change }];

test('nodes whose flags are unchanged are unchanged', () => {
  expect(planNodeChanges(present, pool(), pool())).toEqual({ deleted: [], patches: [] });
  expect(planNodeChanges(present, pool(), pool({ count: 5 }))).toEqual({ deleted: [], patches: [] });
  // A directory of an older version has no record.
  expect(planNodeChanges(present, [], pool({ labels: { a: 'b' } }))).toEqual({ deleted: [], patches: [] });
});

test('nodes that are no longer requested are deleted', () => {
  expect(planNodeChanges(present, pool(), pool({ count: 1 })).deleted).toEqual(['kwok-node-2', 'kwok-node-3']);
  expect(planNodeChanges(present, pool(), pool({ prefix: 'other-' })).deleted).toHaveLength(3);
});

test('only changed settings are applied, and those of other writers stay', () => {
  const before = pool({ labels: { old: '1', same: '1', other: '1' }, resources: { 'nvidia.com/gpu': '1' } });
  const now = pool({
    labels: { same: '1', other: '2' },
    zones: ['zone-1', 'zone-2'],
    taints: [{ key: 'k', effect: 'NoSchedule' }],
  });
  const { patches } = planNodeChanges(present.slice(0, 2), before, now);
  const gone = { 'nvidia.com/gpu': null };
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  const status = { status: { capacity: gone, allocatable: gone } };
  expect(patches).toEqual([
    { name: 'kwok-node-1', spec: { metadata: { labels: { old: null, other: '2' } }, spec: { taints } }, status },
    {
      name: 'kwok-node-2',
      spec: {
        metadata: { labels: { old: null, other: '2', 'topology.kubernetes.io/zone': 'zone-2' } },
        spec: { taints },
      },
      status,
    },
  ]);
});

test('the changes are reported to the user', () => {
  const deleted = ['a', 'b', 'c', 'd'];
  expect(formatNodeChanges({ deleted, patches: [{ name: 'e', spec: {}, status: {} }] })).toEqual([
    'deleted 4 nodes of the previous start (a, b, c, ...); their VMs restart elsewhere when --node-lost-after has passed',
    'changed 1 node of the previous start (e)',
  ]);
  expect(formatNodeChanges({ deleted: [], patches: [] })).toEqual([]);
});
