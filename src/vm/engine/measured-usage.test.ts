import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger, type MemoryLogger } from '#platform/base/logger';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from '#platform/runtime/cache';
import { MeasuredUsage } from './measured-usage.ts';

const GIB = 2 ** 30;
const instance = { metadata: { uid: 'vmi', name: 'web', namespace: 'shop' }, status: { nodeName: 'n1' } } as Vmi;
const pod = (name: string, nodeName: string, annotations: object = {}) =>
  ({
    metadata: { name, namespace: 'shop', annotations },
    spec: { nodeName, containers: [] },
    status: { phase: 'Running' },
  }) as unknown as Pod;
const node = (labels: object = {}) =>
  ({ metadata: { name: 'n1', labels }, status: { allocatable: { cpu: '8', memory: '32Gi' } } }) as unknown as Node;
const cacheOf = <T extends KubeObject>(all: readonly T[]) =>
  ({ by: () => all, get: (name: string) => all.find(({ metadata }) => metadata.name === name) }) as unknown as Cache<T>;
const metrics = (name: string, ...usage: { cpu: string; memory: string }[]) => ({
  metadata: { name, namespace: 'shop' },
  containers: usage.map((each) => ({ usage: each })),
});
const notServed = () => {
  throw new KubeError(404, 'NotFound', 'the server could not find the requested resource');
};

describe('the usage of VMs on a cluster', () => {
  let clock: FakeClock;
  let log: MemoryLogger;
  let stop: AbortController;
  let requested: { readonly at: number; readonly path: string }[];
  let answer: (signal?: AbortSignal) => Promise<string> | string;
  beforeEach(() => {
    clock = new FakeClock({ start: 0 });
    log = createMemoryLogger(clock);
    stop = new AbortController();
    requested = [];
  });
  afterEach(() => stop.abort());

  async function started(pods: readonly Pod[], of: Node = node(), namespace = '') {
    const client = {
      raw: async (path: string, options?: { readonly signal?: AbortSignal }) => {
        requested.push({ at: clock.monotonic(), path });
        return await answer(options?.signal);
      },
    };
    const usage = new MeasuredUsage({ client, clock, log, pods: cacheOf(pods), nodes: cacheOf([of]), namespace });
    void usage.run(stop.signal);
    await clock.advance(1);
    return usage;
  }
  const answering = (...items: object[]) => {
    answer = () => JSON.stringify({ kind: 'PodMetricsList', items });
  };

  it('is the sum over all containers of the pod on the node of the VM, from metrics.k8s.io', async () => {
    answering(metrics('target', { cpu: '3', memory: '3Gi' }), {
      ...metrics('source', { cpu: '1500m', memory: '1Gi' }, { cpu: '250000000n', memory: '1024Ki' }),
    });
    const usage = await started([pod('target', 'n2'), pod('source', 'n1')]);
    expect(usage.of(instance)).toEqual({ cpuCores: 1.75, memoryBytes: GIB + 2 ** 20 });
    expect(requested.map(({ path }) => path)).toEqual([
      '/apis/metrics.k8s.io/v1beta1/pods?labelSelector=kubevirt.io%3Dvirt-launcher',
    ]);
  });

  it('is requested once a minute, in one request, and for one namespace if that is enough', async () => {
    answering();
    const usage = await started([pod('source', 'n1')], node(), 'shop');
    await clock.advance(10 * 60_000);
    expect(requested).toHaveLength(11);
    expect(requested[0]?.path).toMatch(/^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/shop\/pods\?/);
    expect(usage.of(instance)).toBeUndefined();
  });

  it('is unknown without metrics.k8s.io, which is logged once and checked again later', async () => {
    answer = notServed;
    const usage = await started([pod('source', 'n1')]);
    await clock.advance(14 * 60_000);
    expect(usage.of(instance)).toBeUndefined();
    expect(requested.map(({ at }) => Math.round(at / 60_000))).toEqual([0, 5, 10]);
    expect(log.entries.map(({ message }) => message)).toEqual([
      'cannot fetch VM usage from metrics.k8s.io: it is not served',
    ]);
    answering(metrics('source', { cpu: '1', memory: '1Gi' }));
    await clock.advance(60_000);
    expect(usage.of(instance)).toEqual({ cpuCores: 1, memoryBytes: GIB });
  });

  it('is kept for a while without a response', async () => {
    answering(metrics('source', { cpu: '1', memory: '1Gi' }));
    const usage = await started([pod('source', 'n1')]);
    answer = () => Promise.reject(new KubeError(503, 'ServiceUnavailable', 'try again'));
    await clock.advance(4 * 60_000);
    expect(usage.of(instance)).toEqual({ cpuCores: 1, memoryBytes: GIB });
    await clock.advance(3 * 60_000);
    expect(usage.of(instance)).toBeUndefined();
  });

  it('is not waited for forever', async () => {
    answer = (signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    await started([pod('source', 'n1')]);
    await clock.advance(100_000);
    expect(requested.map(({ at }) => at / 1000)).toEqual([0, 90]);
    expect(log.entries.map(({ message }) => message)).toEqual([
      'cannot fetch VM usage from metrics.k8s.io: no response within 30s',
    ]);
  });

  it('is what simulated pods report, without metrics.k8s.io', async () => {
    answer = notServed;
    const says = { 'kubevirt.io/vm-cpu-consumption': '0.25', 'kubevirt.io/vm-memory-consumption': '0.5' };
    const simulated = await started([pod('source', 'n1', says)], node({ type: 'kwok' }));
    expect(simulated.of(instance)).toEqual({ cpuCores: 2, memoryBytes: 16 * GIB });
    const real = await started([pod('source', 'n1', says)], node());
    expect(real.of(instance)).toBeUndefined();
    const silent = await started([pod('source', 'n1')], node({ type: 'kwok' }));
    expect(silent.of(instance)).toBeUndefined();
  });
});
