import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { ExtensionRequest } from '#platform/kube/api-extension';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { type MetricsSource, metricsApi } from './metrics-api.ts';
import { parseProfile } from './profile.ts';
import { parseTrace, traceAt } from './trace.ts';
import { UsageModel } from './usage.ts';

const HOUR = 3_600_000;
const GIB = 2 ** 30;

describe('a profile', () => {
  it('may be constant', () => {
    expect(parseProfile('0.4', '')(0)).toBe(0.4);
    expect(parseProfile('constant 1.5', '')(123)).toBe(1.5);
  });

  it('may follow the day', () => {
    const profile = parseProfile('sine mean=0.4 amplitude=0.3 peak=14h', '');
    expect(profile(14 * HOUR)).toBeCloseTo(0.7);
    expect(profile(2 * HOUR)).toBeCloseTo(0.1);
    expect(profile(8 * HOUR)).toBeCloseTo(0.4);
    expect(profile((24 * 365 + 14) * HOUR)).toBeCloseTo(0.7);
    expect(parseProfile('sine mean=0.1 amplitude=0.5 peak=12h', '')(0)).toBe(0);
  });

  it('may have points, and repeats every day', () => {
    const profile = parseProfile('trace 0s:0.1 6h:0.8 12h:0.2', '');
    expect(profile(3 * HOUR)).toBeCloseTo(0.45);
    expect(profile(9 * HOUR)).toBeCloseTo(0.5);
    expect(profile(20 * HOUR)).toBeCloseTo(0.2);
    expect(profile(27 * HOUR)).toBeCloseTo(0.45);
    expect(parseProfile('trace busy', '', new Map([['busy', [{ at: 0, value: 0.9 }]]]))(5)).toBe(0.9);
  });

  it('may walk at random, the same way for the same seed and within its bounds', () => {
    const [one, same, other] = ['a', 'a', 'b'].map((seed) => parseProfile('walk min=0.2 max=0.9', seed));
    const times = Array.from({ length: 200 }, (_, i) => Date.UTC(2030, 0, 1) + i * 300_000);
    expect(times.map((time) => one?.(time))).toEqual(times.map((time) => same?.(time)));
    expect(times.map((time) => one?.(time))).not.toEqual(times.map((time) => other?.(time)));
    for (const time of times) {
      expect(one?.(time)).toBeGreaterThanOrEqual(0.2);
      expect(one?.(time)).toBeLessThanOrEqual(0.9);
    }
  });

  it('walks in steps of the requested size', () => {
    const profile = parseProfile('walk mean=50 step=0.05 every=1s min=0 max=1000', 'seed');
    const steps = Array.from({ length: 2000 }, (_, i) => profile((i + 1) * 1000) - profile(i * 1000));
    const deviation = Math.sqrt(steps.reduce((sum, step) => sum + step * step, 0) / steps.length);
    expect(deviation).toBeGreaterThan(0.045);
    expect(deviation).toBeLessThan(0.055);
  });

  it.each([
    ['', 'is not a number'],
    ['much', 'is not a number'],
    ['constant -1', 'is not a number'],
    ['sine mean=x', 'is not a number'],
    ['sine hight=1', 'is not one of mean=, amplitude=, period=, peak='],
    ['sine period=0s', 'is not a time'],
    ['walk min=1 max=0', 'max must be greater than min'],
    ['trace nowhere', 'trace "nowhere" not found'],
  ])('%j is rejected', (text, why) => {
    expect(() => parseProfile(text, '')).toThrow(why);
  });
});

describe('a usage trace', () => {
  it('is parsed from lines of times and values', () => {
    expect(parseTrace('# seconds, share\n3600 0.5\n0,0.1\n\n2h;0.9 # busy\n')).toEqual([
      { at: 0, value: 0.1 },
      { at: HOUR, value: 0.5 },
      { at: 2 * HOUR, value: 0.9 },
    ]);
  });

  it('reports the line that it cannot parse', () => {
    expect(() => parseTrace('0 0.1\nsoon 0.2')).toThrow('line 2 of the trace is not a time and a value: "soon 0.2"');
    expect(() => parseTrace('0 0.1 0.2')).toThrow('line 1');
  });

  it('is interpolated between its points', () => {
    const points = fc.uniqueArray(fc.record({ at: fc.nat(1000), value: fc.nat(10) }), {
      selector: ({ at }) => at,
      minLength: 1,
    });
    fc.assert(
      fc.property(points, fc.nat(1000), (given, time) => {
        const sorted = given.toSorted((a, b) => a.at - b.at);
        const values = given.map(({ value }) => value);
        const found = traceAt(sorted, time);
        expect(found).toBeGreaterThanOrEqual(Math.min(...values));
        expect(found).toBeLessThanOrEqual(Math.max(...values));
        for (const { at, value } of given) expect(traceAt(sorted, at)).toBeCloseTo(value);
      }),
    );
  });
});

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels: { pool: 'a' } },
  status: { allocatable: { cpu: '32', memory: '128Gi' } },
} as Node;
const podOf = (name: string, annotations: Record<string, string> = {}, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name, annotations, labels: { name } },
  spec: {
    nodeName: 'n',
    containers: [{ name: 'compute', resources: { requests: { cpu: '500m', memory: '2Gi' } } }, { name: 'beside' }],
  },
  status: { phase },
});
const instance = {
  metadata: { name: 'm', annotations: {} },
  spec: { domain: { cpu: { cores: 4 }, memory: { guest: '8Gi' }, devices: {} } },
} as unknown as Vmi;

describe('the usage of a pod', () => {
  const use = (pod: Pod, machine?: Vmi, now = 0) => new UsageModel().usageOf({ pod, node, instance: machine }, now);

  it('is a ratio of its node with the annotations of seed 001', () => {
    const annotations = { 'kubevirt.io/vm-cpu-consumption': '0.05', 'kubevirt.io/vm-memory-consumption': '0.08' };
    expect(use(podOf('p', annotations))).toEqual({ cores: 1.6, bytes: 0.08 * 128 * GIB });
  });

  it('may exceed all processors, but never all memory', () => {
    const annotations = { 'kubevirt.io/vm-cpu-consumption': '1.5', 'kubevirt.io/vm-memory-consumption': '1.5' };
    expect(use(podOf('p', annotations))).toEqual({ cores: 48, bytes: 128 * GIB });
  });

  it('is a ratio of its requests, or of its machine, with a profile', () => {
    const annotations = { 'vimana.io/cpu-profile': '0.5', 'vimana.io/memory-profile': '0.25' };
    expect(use(podOf('p', annotations))).toEqual({ cores: 0.25, bytes: GIB / 2 });
    expect(use(podOf('p', annotations), instance)).toEqual({ cores: 2, bytes: 2 * GIB });
  });

  it('is none by default, except the memory that every guest uses', () => {
    expect(use(podOf('p'))).toEqual({ cores: 0, bytes: 0 });
    expect(use(podOf('p'), instance)).toEqual({ cores: 0, bytes: 0.05 * 8 * GIB });
  });

  it('is zero before it runs and after it has terminated', () => {
    const annotations = { 'vimana.io/cpu-profile': '1' };
    for (const phase of ['Pending', 'Succeeded', 'Failed']) {
      expect(use(podOf('p', annotations, phase))).toEqual({ cores: 0, bytes: 0 });
    }
  });

  it('ignores invalid values', () => {
    expect(use(podOf('p', { 'vimana.io/cpu-profile': 'lots', 'kubevirt.io/vm-cpu-consumption': 'x' })).cores).toBe(0);
  });
});

describe('metrics.k8s.io', () => {
  const pods = [
    podOf('a', { 'vimana.io/cpu-profile': '0.5', 'vimana.io/memory-profile': '1' }),
    podOf('b'),
    podOf('c', {}, 'Pending'),
  ];
  const usage = new UsageModel();
  const source: MetricsSource = {
    now: () => Date.UTC(2030, 0, 1),
    nodes: () => [node],
    node: (name) => (name === 'n' ? node : undefined),
    pods: (namespace) => (namespace === 'default' || namespace === '' ? pods : []),
    pod: (_namespace, name) => pods.find(({ metadata }) => metadata.name === name),
    podsOn: () => pods,
    usageOf: (pod) => usage.usageOf({ pod, node, instance: undefined }, 0),
  };
  const api = metricsApi(source);
  const ask = (request: Partial<ExtensionRequest>) =>
    api.handle({ namespace: '', name: '', query: new URLSearchParams(), ...request } as ExtensionRequest);

  it('reports the usage of a node as metrics-server does', () => {
    expect(ask({ resource: 'nodes', name: 'n' })).toEqual({
      status: 200,
      body: {
        kind: 'NodeMetrics',
        apiVersion: 'metrics.k8s.io/v1beta1',
        metadata: { name: 'n', creationTimestamp: '2030-01-01T00:00:00Z', labels: { pool: 'a' } },
        timestamp: '2030-01-01T00:00:00Z',
        window: '20s',
        usage: { cpu: '250000000n', memory: '2097152Ki' },
      },
    });
  });

  it('lists pods that run, container by container', () => {
    const response = ask({ resource: 'pods', namespace: 'default' }) as { body: { kind: string; items: object[] } };
    expect(response.body.kind).toBe('PodMetricsList');
    expect(response.body.items).toHaveLength(2);
    expect(response.body.items[0]).toMatchObject({
      kind: 'PodMetrics',
      metadata: { name: 'a', namespace: 'default' },
      containers: [
        { name: 'compute', usage: { cpu: '250000000n', memory: '2097152Ki' } },
        { name: 'beside', usage: { cpu: '0', memory: '0' } },
      ],
    });
  });

  it.each([
    ['labelSelector', 'name=b', ['b']],
    ['labelSelector', 'name in (a, b)', ['a', 'b']],
    ['fieldSelector', 'metadata.name=a', ['a']],
    ['fieldSelector', 'metadata.name!=a', ['b']],
    ['fieldSelector', 'metadata.namespace=other', []],
  ])('selects by %s %s', (parameter, selector, names) => {
    const query = new URLSearchParams({ [parameter]: selector });
    const response = ask({ resource: 'pods', query }) as { body: { items: { metadata: { name: string } }[] } };
    expect(response.body.items.map(({ metadata }) => metadata.name)).toEqual(names);
  });

  it('reports missing metrics with the message of metrics-server', () => {
    expect(() => ask({ resource: 'pods', namespace: 'default', name: 'c' })).toThrow(
      'podmetrics.metrics.k8s.io "default/c" not found',
    );
    expect(() => ask({ resource: 'nodes', name: 'x' })).toThrow('nodemetrics.metrics.k8s.io "x" not found');
    expect(() => ask({ resource: 'pods', query: new URLSearchParams({ labelSelector: '!!' }) })).toThrow();
  });
});
