import { describe, expect, test } from 'vitest';
import type { Taint } from '#platform/kube/kinds/node';
import type { Toleration } from '#platform/kube/kinds/pod';
import { filterResults, node, pod, schedulerHarness } from '../harness.fixture.ts';
import { podInfoOf } from '../pod/pod-info.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeResourcesFit } from './node-resources-fit.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { taintToleration } from './taint-toleration.ts';

test('a cordoned node accepts only pods that tolerate it', () => {
  const cluster = schedulerHarness({ nodes: [node('a', { unschedulable: true }), node('b')] });
  expect(filterResults(nodeUnschedulable, pod('p'), cluster)).toEqual({ a: 'node(s) were unschedulable', b: '' });
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
  expect(filterResults(nodeUnschedulable, pod('p', { tolerations }), cluster)).toBe('-');
});

test('a pod with spec.nodeName fits no other node', () => {
  const cluster = schedulerHarness({ nodes: [node('a'), node('b')] });
  expect(filterResults(nodeName, pod('p'), cluster)).toBe('-');
  expect(filterResults(nodeName, pod('p', { nodeName: 'b' }), cluster)).toEqual({
    a: "node(s) didn't match the requested node name",
    b: '',
  });
});

describe('taints', () => {
  const taint = (effect: string): Taint => ({ key: 'k', value: 'v', effect });
  const UNTOLERATED = 'node(s) had untolerated taint(s)';
  const CASES: readonly [
    what: string,
    taints: readonly Taint[],
    tolerations: readonly Toleration[],
    expected: string,
  ][] = [
    ['NoSchedule rejects pods', [taint('NoSchedule')], [], UNTOLERATED],
    ['NoExecute rejects pods', [taint('NoExecute')], [], UNTOLERATED],
    ['PreferNoSchedule does not reject pods', [taint('PreferNoSchedule')], [], ''],
    ['are tolerated by the same key and value', [taint('NoSchedule')], [{ key: 'k', value: 'v' }], ''],
    ['are not tolerated by another value', [taint('NoSchedule')], [{ key: 'k', value: 'w' }], UNTOLERATED],
    ['are tolerated with any value by Exists', [taint('NoSchedule')], [{ key: 'k', operator: 'Exists' }], ''],
    [
      'are all tolerated by Exists without a key',
      [taint('NoSchedule'), taint('NoExecute')],
      [{ operator: 'Exists' }],
      '',
    ],
    [
      'are not tolerated with another effect',
      [taint('NoExecute')],
      [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
      UNTOLERATED,
    ],
    [
      'must all be tolerated',
      [taint('NoSchedule'), { key: 'other', effect: 'NoSchedule' }],
      [{ key: 'k', value: 'v' }],
      UNTOLERATED,
    ],
  ];
  test.each(CASES)('%s', (_what, taints, tolerations, expected) => {
    const cluster = schedulerHarness({ nodes: [node('a', { taints })] });
    expect(filterResults(taintToleration, pod('p', { tolerations }), cluster)).toEqual({ a: expected });
  });
});

test('a node must have the labels of the node selector', () => {
  const cluster = schedulerHarness({ nodes: [node('a', { labels: { disk: 'ssd' } }), node('b')] });
  expect(filterResults(nodeAffinity, pod('p'), cluster)).toBe('-');
  expect(filterResults(nodeAffinity, pod('p', { nodeSelector: { disk: 'ssd' } }), cluster)).toEqual({
    a: '',
    b: "node(s) didn't match Pod's node affinity/selector",
  });
});

test('only nodes that the affinity names are checked', () => {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a'] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const prepared = nodeAffinity.prepare(podInfoOf(pod('p', { affinity })), schedulerHarness({ nodes: [node('a')] }));
  expect(prepared).toMatchObject({ only: new Set(['a']) });
});

describe('host ports', () => {
  const TAKEN = "node(s) didn't have free ports for the requested pod ports";
  const withPort = (name: string, port: object) =>
    pod(name, { containers: [{ name: 'c', ports: [{ containerPort: 1, ...port }] }] });
  const CASES: readonly [what: string, taken: object, asked: object, expected: string][] = [
    ['conflict if they are the same', { hostPort: 80 }, { hostPort: 80 }, TAKEN],
    ['do not conflict if they differ', { hostPort: 80 }, { hostPort: 81 }, ''],
    ['do not conflict if the protocols differ', { hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, ''],
    [
      'do not conflict if the addresses differ',
      { hostPort: 80, hostIP: '10.0.0.1' },
      { hostPort: 80, hostIP: '10.0.0.2' },
      '',
    ],
    ['conflict if one has any address', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80 }, TAKEN],
  ];
  test.each(CASES)('%s', (_what, taken, requested, expected) => {
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [withPort('other', taken)] } });
    expect(filterResults(nodePorts, withPort('p', requested), cluster)).toEqual({ a: expected });
  });
});

describe('resources', () => {
  const gpu = { 'example.com/gpu': '1' };
  const CASES: readonly [what: string, requests: Record<string, string>, expected: string][] = [
    ['suffice if exactly the request is free', { cpu: '1', memory: '6Gi' }, ''],
    ['are insufficient with too little CPU', { cpu: '1001m' }, 'Insufficient cpu'],
    ['are insufficient with too little memory', { memory: '6145Mi' }, 'Insufficient memory'],
    ['are insufficient with too little of both', { cpu: '2', memory: '7Gi' }, 'Insufficient cpu, Insufficient memory'],
    ['are insufficient if the node has no such resource', gpu, 'Insufficient example.com/gpu'],
    [
      'are insufficient with too little ephemeral storage',
      { 'ephemeral-storage': '1Ki' },
      'Insufficient ephemeral-storage',
    ],
    ['suffice for a pod without requests', {}, ''],
  ];
  test.each(CASES)('%s', (_what, requests, expected) => {
    const other = pod('other', { requests: { cpu: '3', memory: '2Gi' } });
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [other] } });
    expect(filterResults(nodeResourcesFit(), pod('p', { requests }), cluster)).toEqual({ a: expected });
  });

  test('a node accepts a limited number of pods, whatever they request', () => {
    const nodes = [node('a', { allocatable: { pods: '1' } })];
    const cluster = schedulerHarness({ nodes, pods: { a: [pod('other')] } });
    expect(filterResults(nodeResourcesFit(), pod('p'), cluster)).toEqual({ a: 'Too many pods' });
    expect(filterResults(nodeResourcesFit(), pod('p', { requests: { cpu: '9' } }), cluster)).toEqual({
      a: 'Too many pods, Insufficient cpu',
    });
  });

  test('preemption can help only if the node is large enough', () => {
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [pod('other', { requests: { cpu: '4' } })] } });
    const preemptable = (cpu: string) => {
      const prepared = nodeResourcesFit().prepare(podInfoOf(pod('p', { requests: { cpu } })), cluster);
      return prepared !== undefined && 'check' in prepared ? prepared.check(0)?.preemptable : undefined;
    };
    expect([preemptable('4'), preemptable('4001m')]).toEqual([true, false]);
  });

  test('ignored resource groups are not checked', () => {
    const cluster = schedulerHarness({ nodes: [node('a')] });
    const ignoring = nodeResourcesFit({ ignoredResourceGroups: ['example.com'] });
    expect(filterResults(ignoring, pod('p', { requests: gpu }), cluster)).toEqual({ a: '' });
  });
});
