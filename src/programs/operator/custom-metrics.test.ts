import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import type { ExtensionRequest } from '#platform/kube/api-extension';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { IndexedCache } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import { clusterMetrics } from './custom-metrics.ts';

/** Returns the CPU usage of a pod on a cluster whose metrics API responds like `raw`. */
async function cpuUsage(raw: () => Promise<string>): Promise<string> {
  const annotations = { 'kubevirt.io/vm-cpu-consumption': '0.5', 'kubevirt.io/vm-memory-consumption': '0.5' };
  const pod = {
    metadata: { name: 'p', namespace: 'x', uid: 'p', labels: { 'kubevirt.io/domain': 'web' }, annotations },
    spec: { nodeName: 'n' },
    status: { phase: 'Running' },
  };
  const node = { metadata: { name: 'n' }, status: { allocatable: { cpu: '4', memory: '8Gi' } } };
  const caches = new Map<string, IndexedCache<KubeObject>>();
  const of = ({ plural }: { readonly plural: string }) => {
    const cache = caches.get(plural) ?? new IndexedCache<KubeObject>(() => {});
    caches.set(plural, cache);
    return { cache };
  };
  of({ plural: 'pods' }).cache.put(pod as unknown as KubeObject);
  of({ plural: 'nodes' }).cache.put(node as unknown as KubeObject);
  const [extension] = clusterMetrics({
    client: { raw },
    dialects: [],
    informers: { of } as unknown as Informers,
    clock: new FakeClock(),
  });
  const request = { resource: 'pods', subresource: 'vm_cpu_usage_cores', namespace: 'x', name: 'p' };
  const answer = await extension?.handle({
    ...request,
    query: new URLSearchParams(),
    signal: new AbortController().signal,
  } as unknown as ExtensionRequest);
  return (answer as { body: { items: { value: string }[] } }).body.items[0]?.value ?? '';
}

describe('custom metrics of a cluster', () => {
  it('are those of metrics.k8s.io', async () => {
    const items = [
      { metadata: { name: 'p', namespace: 'x' }, containers: [{ usage: { cpu: '1500m', memory: '1Gi' } }] },
    ];
    expect(await cpuUsage(() => Promise.resolve(JSON.stringify({ items })))).toBe('1500m');
  });

  it('are what simulated pods report if metrics.k8s.io is not served', async () => {
    expect(await cpuUsage(() => Promise.reject(new KubeError(404, 'NotFound', 'not served')))).toBe('2');
  });
});
