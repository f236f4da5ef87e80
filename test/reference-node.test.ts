import { afterEach, expect, it, vi } from 'vitest';
import { PodManager } from '#fleet/library/pod-manager';
import { PODS } from '#platform/kube/kinds/pod';
import type { Embedded, EmbeddedOptions } from '#programs/up/embedded';
import { startInMemory } from '#testing/embedded-in-memory';
import { WAIT } from '#testing/wait';

let embedded: Embedded;
afterEach(() => embedded.stop());

it.each<[string, Pick<EmbeddedOptions, 'pools' | 'referenceNode'>, object]>([
  [
    'the existing nodes if they are equal',
    { pools: [{ count: 2, size: { cpu: '8', memory: '16Gi' } }] },
    { cpu: '4', memory: '4Gi' },
  ],
  [
    'the flag of the operator otherwise',
    {
      pools: [{ count: 1 }, { count: 1, size: { cpu: '8', memory: '16Gi' } }],
      referenceNode: { cpu: '10', memory: '20Gi' },
    },
    { cpu: '5', memory: '5Gi' },
  ],
])('a fraction of a node refers to %s', async (_what, options, requests) => {
  embedded = await startInMemory({ ...options, dialects: ['simulation'] });
  const { admin: client, informers } = embedded;
  // Nodes are added while the control plane starts.
  const nodes = options.pools.reduce((sum, { count }) => sum + count, 0);
  await vi.waitFor(() => expect(embedded.exporter?.loads()).toHaveLength(nodes), WAIT);
  expect(informers.unsynced).toEqual([]);
  const name = await new PodManager({ client }).createPod({
    id: 'half',
    cpuConsumption: 0.5,
    memoryConsumption: 0.25,
  });
  const pod = await client.get(PODS, name, { namespace: 'default' });
  expect(pod.spec.containers[0]?.resources?.requests).toEqual(requests);
});
