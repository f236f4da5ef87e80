import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLoad } from '#api/launcher-load';
import { FakeClock } from '#platform/base/fake-clock';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Change, IndexedCache } from '#platform/runtime/cache';
import type { Informer } from '#platform/runtime/informer';
import { NodeLoads } from './node-loads.ts';

/** Fakes an informer whose objects the test sets. */
function informer<T extends KubeObject>() {
  const listeners: ((change: Change<T>) => void)[] = [];
  const cache = new IndexedCache<T>((change) => {
    for (const listener of listeners) listener(change);
  });
  return { cache, onChange: (listener: (change: Change<T>) => void) => listeners.push(listener) };
}

let version = 0;
const meta = (name: string, more: object = {}) => ({ name, uid: name, resourceVersion: `${++version}`, ...more });
const node = (name: string, cpu = '32', memory = '128Gi', labels: object = {}): Node =>
  ({
    metadata: meta(name, { labels: { type: 'kwok', ...labels } }),
    status: { allocatable: { cpu, memory } },
  }) as never;

interface Looks {
  readonly on?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: object;
  readonly going?: boolean;
  readonly phase?: string;
  readonly of?: { readonly cpu: string; readonly memory: string };
}
function pod(
  vm: string,
  { on = 'a', cpu = '0.1', memory = '0.2', labels = {}, going = false, phase, of }: Looks = {},
): Pod {
  const annotations = {
    'kubevirt.io/vm-cpu-consumption': cpu,
    'kubevirt.io/vm-memory-consumption': memory,
    ...(of === undefined ? {} : { 'vimana.io/load': formatLoad({ cpu, memory, node: of }) }),
  };
  const metadata = meta(`virt-launcher-${vm}-x`, {
    namespace: 'default',
    labels: { 'kubevirt.io/domain': vm, ...labels },
    annotations,
    ...(going ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  });
  return { metadata, spec: on === '' ? {} : { nodeName: on }, status: { phase: phase ?? 'Running' } } as never;
}

function harness() {
  const clock = new FakeClock();
  const [nodes, pods] = [informer<Node>(), informer<Pod>()];
  const loads = new NodeLoads({
    nodes: nodes as unknown as Informer<Node>,
    pods: pods as unknown as Informer<Pod>,
    clock,
  });
  return { clock, nodes: nodes.cache, pods: pods.cache, loads };
}

describe('node metrics', () => {
  it('are the sums of the annotations of their launcher pods', () => {
    const { nodes, pods, loads } = harness();
    nodes.put(node('a'));
    nodes.put(node('b'));
    pods.put(pod('x', { cpu: '0.3', memory: '0.5' }));
    pods.put(pod('y', { cpu: '0.9', memory: '0.6' }));
    // CPU is 0.3 + 0.9 = 1.2, and its pressure 0.8 + 0.5 x 0.2 = 0.9.
    // Memory is 1.1, of which there is only 1, and its pressure 0.2 + 0.6 = 0.8.
    expect(loads.get('a')).toMatchObject({ cpuUsage: 1.2, memoryUsage: 1, vms: 2, cpuCores: 32, roles: ['worker'] });
    expect(loads.get('a')?.cpuPressure).toBeCloseTo(0.9, 9);
    expect(loads.get('a')?.memoryPressure).toBeCloseTo(0.8, 9);
    expect(loads.get('b')).toMatchObject({ cpuUsage: 0, cpuPressure: 0, memoryUsage: 0, memoryPressure: 0, vms: 0 });
  });

  it("are ratios of the node's own size, whatever node the VM ratios refer to", () => {
    const { nodes, pods, loads } = harness();
    nodes.put(node('a', '16', '32Gi'));
    nodes.put(node('b', '64', '256Gi'));
    pods.put(pod('x', { cpu: '0.25', memory: '0.125', of: { cpu: '32', memory: '128Gi' } }));
    // Nodes differ, so that fractions without a node size refer to 32 CPUs and 128Gi.
    pods.put(pod('y', { on: 'b', cpu: '0.5', memory: '0.5' }));
    expect(loads.get('a')).toMatchObject({ cpuUsage: 0.5, memoryUsage: 0.5 });
    expect(loads.get('b')).toMatchObject({ cpuUsage: 0.25, memoryUsage: 0.25 });
    nodes.remove(nodes.get('a') as Node);
    expect(loads.get('b')).toMatchObject({ cpuUsage: 0.5, memoryUsage: 0.5 });
  });

  it('ignore terminating and pending pods, and pods that represent no VM', () => {
    const { nodes, pods, loads } = harness();
    nodes.put(node('a'));
    pods.put(pod('going', { going: true }));
    pods.put(pod('done', { phase: 'Succeeded' }));
    pods.put(pod('waiting', { on: '' }));
    pods.put(pod('other', { labels: { 'kubevirt.io/domain': undefined } }));
    pods.put(pod('odd', { cpu: 'much', memory: '-1' }));
    expect(loads.get('a')).toMatchObject({ cpuUsage: 0, memoryUsage: 0, vms: 1 });
  });

  it('count a migrating VM once, on its source node', () => {
    const { nodes, pods, loads } = harness();
    nodes.put(node('a'));
    nodes.put(node('b'));
    const source = pod('x', { labels: { 'kubevirt.io/created-by': 'i' } });
    const labels = { 'kubevirt.io/created-by': 'i', 'kubevirt.io/migrationJobUID': 'm' };
    const target = pod('x', { on: 'b', labels });
    pods.put(source);
    pods.put({ ...target, metadata: { ...target.metadata, name: 'target', uid: 'target' } });
    expect(loads.all().map(({ vms }) => vms)).toEqual([1, 0]);
    pods.remove(source);
    expect(loads.all().map(({ vms }) => vms)).toEqual([0, 1]);
  });

  it('drop a deleted node, and treat one that returns as new', async () => {
    const { nodes, pods, loads, clock } = harness();
    nodes.put(node('a'));
    pods.put(pod('x'));
    await clock.advance(10_000);
    expect(loads.get('a')?.spent.cpuUser).toBeCloseTo(32, 6);
    nodes.remove(nodes.get('a') as Node);
    expect([loads.all(), loads.get('a')]).toEqual([[], undefined]);
    await clock.advance(10_000);
    nodes.put(node('a', '32', '128Gi', { 'node-role.kubernetes.io/gpu': '', 'node-role.kubernetes.io/worker': '' }));
    expect(loads.get('a')).toMatchObject({ vms: 1, roles: ['gpu', 'worker'], spent: { cpuUser: 0, cpuIdle: 0 } });
  });

  it('accumulate time with the values between changes', async () => {
    const { nodes, pods, loads, clock } = harness();
    nodes.put(node('a', '10', '10Gi'));
    pods.put(pod('x', { cpu: '0.5', memory: '0' }));
    await clock.advance(4_000);
    pods.put(pod('x', { cpu: '2', memory: '0' }));
    await clock.advance(1_000);
    // 0.5 x 10 x 4 s and then all 10 CPUs for 1 s; pressure 0.035 for 4 s, then 0.8 + 0.5 x 1, which is 1 at most.
    const { cpuUser, cpuIdle, cpuWaiting, memoryWaiting } = loads.get('a')?.spent ?? {};
    expect(cpuUser).toBeCloseTo(30, 6);
    expect(cpuIdle).toBeCloseTo(20, 6);
    expect(cpuWaiting).toBeCloseTo(1.14, 6);
    expect(memoryWaiting).toBe(0);
  });

  it('are exactly the decimal sums of the annotations', () => {
    const share = fc.integer({ min: 0, max: 2500 });
    const size = fc.constantFrom({ cpu: '32', memory: '128Gi' }, { cpu: '7', memory: '9Gi' }, undefined);
    fc.assert(
      fc.property(fc.array(fc.tuple(share, share), { maxLength: 4 }), size, (shares, of) => {
        const { nodes, pods, loads } = harness();
        nodes.put(node('a', of?.cpu, of?.memory));
        for (const [at, [cpu, memory]] of shares.entries()) {
          pods.put(
            pod(`vm-${at}`, { cpu: `${cpu / 1e4}`, memory: `${memory / 1e4}`, ...(of === undefined ? {} : { of }) }),
          );
        }
        const sum = (which: 0 | 1) => shares.reduce((total, each) => total + each[which], 0) / 1e4;
        expect(loads.get('a')).toMatchObject({ cpuUsage: sum(0), memoryUsage: sum(1) });
      }),
      { examples: [[[[500, 800]], { cpu: '32', memory: '128Gi' }]] },
    );
  });

  it('do not depend on earlier states', () => {
    const change = fc.record({
      vm: fc.constantFrom('x', 'y', 'z'),
      on: fc.constantFrom('a', 'b', ''),
      cpu: fc.integer({ min: 0, max: 100 }).map((share) => String(share / 97)),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const [one, other] = [harness(), harness()];
        for (const each of [one, other]) for (const name of ['a', 'b']) each.nodes.put(node(name, '7', '9Gi'));
        const last = new Map<string, Pod>();
        for (const { vm, on, cpu, gone } of changes) {
          const next = pod(vm, { on, cpu });
          if (gone) one.pods.remove(next);
          else one.pods.put(next);
          if (gone) last.delete(vm);
          else last.set(vm, next);
        }
        for (const each of last.values()) other.pods.put(each);
        expect(one.loads.all()).toEqual(other.loads.all());
      }),
    );
  });
});
