import { describe, expect, it } from 'vitest';
import { UsageError } from '#platform/base/errors';
import { nodeNames, nodePools } from './node-pools.ts';

const fallback = { nodeSize: '4cpu,8Gi', nodePrefix: 'n-', zones: 2 };

describe('the nodes that flags request', () => {
  it('form one pool over all zones', () => {
    expect(
      nodePools(3, { ...fallback, nodeLabels: { a: '1' }, nodeResources: { 'nvidia.com/gpu': '2' } }),
    ).toMatchObject([
      {
        count: 3,
        prefix: 'n-',
        zones: ['zone-1', 'zone-2'],
        labels: { a: '1' },
        resources: { 'nvidia.com/gpu': '2' },
        size: { cpu: '4', memory: '8Gi' },
      },
    ]);
  });

  it.each(['node', 'node-'])('are named node-1 and so on with the prefix %s', (nodePrefix) => {
    expect(nodeNames(nodePools(2, { ...fallback, nodePrefix }))).toEqual(['node-1', 'node-2']);
  });

  it('are rejected with all causes, each with its flag', () => {
    const wrong = {
      nodeSize: '4',
      nodePrefix: 'Big',
      zones: 1,
      nodeLabels: { 'a b': 'c' },
      nodeResources: { 'nvidia.com/gpu': 'many' },
    };
    const rejected = () => nodePools(1, wrong);
    expect(rejected).toThrow(UsageError);
    for (const flag of ['--node-size', '--node-prefix', '--node-labels', '--node-resources']) {
      expect(rejected).toThrow(new RegExp(`^${flag}[^\n]*: Invalid value: `, 'm'));
    }
  });
});
