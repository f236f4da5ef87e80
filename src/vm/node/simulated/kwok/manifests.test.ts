import { describe, expect, it } from 'vitest';
import { kwokNodes } from './manifests.ts';

describe('the nodes that KWOK simulates', () => {
  const taint = { key: 'a', value: 'b', effect: 'NoSchedule' } as const;

  it('have the taints of their pool, and no spec if there are none', () => {
    const [plain] = kwokNodes([{ count: 1, prefix: 'plain-' }]);
    const [tainted] = kwokNodes([{ count: 1, prefix: 'tainted-', taints: [taint] }]);
    expect(plain).not.toHaveProperty('spec');
    expect(tainted?.spec?.taints).toMatchObject([taint]);
  });

  it('have no label of a Vimana node agent, and only the status that KWOK does not report', () => {
    const [node] = kwokNodes([{ count: 1, prefix: 'n-' }]);
    expect(node?.metadata.labels).not.toHaveProperty('vimana.io/runtime');
    expect(Object.keys(node?.status ?? {})).toEqual(['addresses', 'capacity', 'allocatable']);
  });
});
