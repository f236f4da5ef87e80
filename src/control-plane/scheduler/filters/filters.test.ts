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

test('a cordoned node takes only pods that tolerate it', () => {
  const cluster = schedulerHarness({ nodes: [node('a', { unschedulable: true }), node('b')] });
  expect(filterResults(nodeUnschedulable, pod('p'), cluster)).toEqual({ a: 'node(s) were unschedulable', b: '' });
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
  expect(filterResults(nodeUnschedulable, pod('p', { tolerations }), cluster)).toBe('-');
});

test('a pod that names its node goes nowhere else', () => {
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
    ['NoSchedule keeps off', [taint('NoSchedule')], [], UNTOLERATED],
    ['NoExecute keeps off', [taint('NoExecute')], [], UNTOLERATED],
    ['PreferNoSchedule does not', [taint('PreferNoSchedule')], [], ''],
    ['the same key and value are tolerated', [taint('NoSchedule')], [{ key: 'k', value: 'v' }], ''],
    ['another value is not', [taint('NoSchedule')], [{ key: 'k', value: 'w' }], UNTOLERATED],
    ['Exists tolerates every value', [taint('NoSchedule')], [{ key: 'k', operator: 'Exists' }], ''],
    ['no key and Exists tolerate everything', [taint('NoSchedule'), taint('NoExecute')], [{ operator: 'Exists' }], ''],
    ['the effect must match', [taint('NoExecute')], [{ key: 'k', value: 'v', effect: 'NoSchedule' }], UNTOLERATED],
    [
      'all taints must be tolerated',
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

test('a node must have the labels that a pod asks for', () => {
  const cluster = schedulerHarness({ nodes: [node('a', { labels: { disk: 'ssd' } }), node('b')] });
  expect(filterResults(nodeAffinity, pod('p'), cluster)).toBe('-');
  expect(filterResults(nodeAffinity, pod('p', { nodeSelector: { disk: 'ssd' } }), cluster)).toEqual({
    a: '',
    b: "node(s) didn't match Pod's node affinity/selector",
  });
});

test('only nodes that the affinity names are looked at', () => {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a'] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const prepared = nodeAffinity.prepare(podInfoOf(pod('p', { affinity })), schedulerHarness({ nodes: [node('a')] }));
  expect(prepared).toMatchObject({ only: new Set(['a']) });
});

describe('ports of the node', () => {
  const TAKEN = "node(s) didn't have free ports for the requested pod ports";
  const withPort = (name: string, port: object) =>
    pod(name, { containers: [{ name: 'c', ports: [{ containerPort: 1, ...port }] }] });
  const CASES: readonly [what: string, taken: object, asked: object, expected: string][] = [
    ['the same port collides', { hostPort: 80 }, { hostPort: 80 }, TAKEN],
    ['another port does not', { hostPort: 80 }, { hostPort: 81 }, ''],
    ['another protocol does not', { hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, ''],
    ['another address does not', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, ''],
    ['any address collides with each', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80 }, TAKEN],
  ];
  test.each(CASES)('%s', (_what, taken, requested, expected) => {
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [withPort('other', taken)] } });
    expect(filterResults(nodePorts, withPort('p', requested), cluster)).toEqual({ a: expected });
  });
});

describe('resources', () => {
  const gpu = { 'example.com/gpu': '1' };
  const CASES: readonly [what: string, requests: Record<string, string>, expected: string][] = [
    ['what is left suffices exactly', { cpu: '1', memory: '6Gi' }, ''],
    ['too little CPU', { cpu: '1001m' }, 'Insufficient cpu'],
    ['too little memory', { memory: '6145Mi' }, 'Insufficient memory'],
    ['too little of both', { cpu: '2', memory: '7Gi' }, 'Insufficient cpu, Insufficient memory'],
    ['no such resource', gpu, 'Insufficient example.com/gpu'],
    ['too little storage', { 'ephemeral-storage': '1Ki' }, 'Insufficient ephemeral-storage'],
    ['a pod that asks for nothing', {}, ''],
  ];
  test.each(CASES)('%s', (_what, requests, expected) => {
    const other = pod('other', { requests: { cpu: '3', memory: '2Gi' } });
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [other] } });
    expect(filterResults(nodeResourcesFit(), pod('p', { requests }), cluster)).toEqual({ a: expected });
  });

  test('a node takes only so many pods, whatever they ask for', () => {
    const nodes = [node('a', { allocatable: { pods: '1' } })];
    const cluster = schedulerHarness({ nodes, pods: { a: [pod('other')] } });
    expect(filterResults(nodeResourcesFit(), pod('p'), cluster)).toEqual({ a: 'Too many pods' });
    expect(filterResults(nodeResourcesFit(), pod('p', { requests: { cpu: '9' } }), cluster)).toEqual({
      a: 'Too many pods, Insufficient cpu',
    });
  });

  test('taking pods off a node helps only where the node is large enough at all', () => {
    const cluster = schedulerHarness({ nodes: [node('a')], pods: { a: [pod('other', { requests: { cpu: '4' } })] } });
    const preemptable = (cpu: string) => {
      const prepared = nodeResourcesFit().prepare(podInfoOf(pod('p', { requests: { cpu } })), cluster);
      return prepared !== undefined && 'check' in prepared ? prepared.check(0)?.preemptable : undefined;
    };
    expect([preemptable('4'), preemptable('4001m')]).toEqual([true, false]);
  });

  test('resources that are to be ignored are', () => {
    const cluster = schedulerHarness({ nodes: [node('a')] });
    const ignoring = nodeResourcesFit({ ignoredResourceGroups: ['example.com'] });
    expect(filterResults(ignoring, pod('p', { requests: gpu }), cluster)).toEqual({ a: '' });
  });
});
