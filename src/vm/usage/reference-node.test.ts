import { describe, expect, it } from 'vitest';
import type { Node } from '#platform/kube/kinds/node';
import { sharedSize } from './reference-node.ts';

const node = (cpu: string | undefined, memory: string, metadata: object = { labels: { type: 'kwok' } }): Node =>
  ({ metadata, status: { allocatable: cpu === undefined ? {} : { cpu, memory } } }) as unknown as Node;

describe('the size that simulated nodes share', () => {
  it.each<[string, Node[], object | undefined]>([
    ['none', [], undefined],
    ['one', [node('16', '64Gi')], { cpu: '16', memory: '64Gi' }],
    ['alike in other words', [node('16', '64Gi'), node('16000m', '65536Mi')], { cpu: '16', memory: '64Gi' }],
    ['of other CPU', [node('16', '64Gi'), node('8', '64Gi')], undefined],
    ['of other memory', [node('16', '64Gi'), node('16', '128Gi')], undefined],
    ['beside a real one', [node('16', '64Gi'), node('4', '8Gi', { labels: {} })], { cpu: '16', memory: '64Gi' }],
    [
      'that KWOK plays',
      [node('2', '4Gi', { annotations: { 'kwok.x-k8s.io/node': 'fake' } })],
      { cpu: '2', memory: '4Gi' },
    ],
    [
      'of our runtime',
      [node('2', '4Gi', { labels: { 'vimana.io/runtime': 'simulated' } })],
      { cpu: '2', memory: '4Gi' },
    ],
    [
      'that have told nothing yet',
      [node(undefined, ''), node('0', '0'), node('16', '64Gi')],
      { cpu: '16', memory: '64Gi' },
    ],
  ])('of nodes %s', (_what, nodes, size) => {
    expect(sharedSize(nodes)).toEqual(size);
  });
});
