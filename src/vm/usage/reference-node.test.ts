import { describe, expect, it } from 'vitest';
import type { Node } from '#platform/kube/kinds/node';
import { sharedSize } from './reference-node.ts';

const node = (cpu: string | undefined, memory: string, metadata: object = { labels: { type: 'kwok' } }): Node =>
  ({ metadata, status: { allocatable: cpu === undefined ? {} : { cpu, memory } } }) as unknown as Node;

describe('the common size of simulated nodes', () => {
  it.each<[string, Node[], object | undefined]>([
    ['is unknown without nodes', [], undefined],
    ['is that of a single node', [node('16', '64Gi')], { cpu: '16', memory: '64Gi' }],
    ['is found in different notations', [node('16', '64Gi'), node('16000m', '65536Mi')], { cpu: '16', memory: '64Gi' }],
    ['is unknown if CPUs differ', [node('16', '64Gi'), node('8', '64Gi')], undefined],
    ['is unknown if memory differs', [node('16', '64Gi'), node('16', '128Gi')], undefined],
    ['ignores real nodes', [node('16', '64Gi'), node('4', '8Gi', { labels: {} })], { cpu: '16', memory: '64Gi' }],
    [
      'includes KWOK nodes',
      [node('2', '4Gi', { annotations: { 'kwok.x-k8s.io/node': 'fake' } })],
      { cpu: '2', memory: '4Gi' },
    ],
    [
      'includes nodes of our runtime',
      [node('2', '4Gi', { labels: { 'vimana.io/runtime': 'simulated' } })],
      { cpu: '2', memory: '4Gi' },
    ],
    [
      'ignores nodes without a status',
      [node(undefined, ''), node('0', '0'), node('16', '64Gi')],
      { cpu: '16', memory: '64Gi' },
    ],
  ])('%s', (_what, nodes, size) => {
    expect(sharedSize(nodes)).toEqual(size);
  });
});
