import { describe, expect, it } from 'vitest';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { rejectionReason } from './node-acceptance.ts';

type Ready = 'True' | 'False' | 'Unknown';
const node = (spec: Node['spec'] = {}, ready: Ready = 'True', labels: Record<string, string> = {}): Node => ({
  ...{ apiVersion: 'v1', kind: 'Node' },
  metadata: { name: 'n', labels: { 'kubernetes.io/hostname': 'n', ...labels } },
  spec,
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const pod = (spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name: 'p', labels },
  spec: { containers: [], ...spec },
});
const GPU = { key: 'gpu', effect: 'NoSchedule' };
const inZone = (zone: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }],
    },
  },
});

describe('rejectionReason', () => {
  it.each<[string, Node, Pod, string | undefined]>([
    ['a ready node', node(), pod(), undefined],
    ['a node that is not ready', node({}, 'False'), pod(), 'node n is not ready'],
    ['a node of unknown state', node({}, 'Unknown'), pod(), 'node n is not ready'],
    ['a cordoned node', node({ unschedulable: true }), pod(), 'node n is cordoned'],
    [
      'a node that was cordoned a moment ago',
      node({ taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }),
      pod(),
      'node n is cordoned',
    ],
    ['a taint', node({ taints: [GPU] }), pod(), 'node n has the taint gpu:NoSchedule, which the VM does not tolerate'],
    ['a tolerated taint', node({ taints: [GPU] }), pod({ tolerations: [{ operator: 'Exists' }] }), undefined],
    ['a PreferNoSchedule taint', node({ taints: [{ ...GPU, effect: 'PreferNoSchedule' }] }), pod(), undefined],
    [
      'a missing label',
      node(),
      pod({ nodeSelector: { disk: 'fast' } }),
      'node n does not have the label disk=fast that the VM requires',
    ],
    ['a matching label', node({}, 'True', { disk: 'fast' }), pod({ nodeSelector: { disk: 'fast' } }), undefined],
    [
      'a different affinity',
      node({}, 'True', { zone: 'a' }),
      pod({ affinity: inZone('b') }),
      'node n does not match the node affinity of the VM',
    ],
    ['a matching affinity', node({}, 'True', { zone: 'a' }), pod({ affinity: inZone('a') }), undefined],
    [
      'a migrated VM, whose pod names the node of the migration',
      node(),
      pod({ nodeSelector: { 'kubernetes.io/hostname': 'm' } }, { 'kubevirt.io/migrationJobUID': 'u' }),
      undefined,
    ],
  ])('handles %s', (_what, target, vm, expected) => {
    expect(rejectionReason(target, vm)).toBe(expected);
  });
});
