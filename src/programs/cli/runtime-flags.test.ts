import { describe, expect, it } from 'vitest';
import { withRuntimeDefaults } from './runtime-flags.ts';

const FLAGS = {
  nodes: 5,
  nodeSize: '32cpu,128Gi',
  nodePrefix: 'kwok-node-',
  zones: 1,
  leaveMachines: false,
  hostDiskDirs: [],
};

describe('the defaults of a runtime', () => {
  it('do not change simulated nodes', () => {
    const flags = { ...FLAGS, runtime: 'simulated' as const };
    expect(withRuntimeDefaults(flags, () => false)).toBe(flags);
  });

  it('are one node with a part of the host for real machines', () => {
    const { nodes, nodePrefix, nodeSize } = withRuntimeDefaults({ ...FLAGS, runtime: 'qemu' }, () => false);
    expect({ nodes, nodePrefix }).toEqual({ nodes: 1, nodePrefix: 'qemu-node-' });
    expect(nodeSize).toMatch(/^[1-9]\d*cpu,[1-9]\d*Gi$/);
  });

  it('do not override flags of the user', () => {
    const given = { ...FLAGS, nodes: 2, runtime: 'qemu' as const };
    expect(withRuntimeDefaults(given, (name) => name !== 'nodeSize')).toMatchObject({
      nodes: 2,
      nodePrefix: 'kwok-node-',
    });
    expect(withRuntimeDefaults(given, () => true)).toEqual(given);
  });
});
