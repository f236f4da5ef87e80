import { describe, expect, test } from 'vitest';
import { node, type PodOptions, pod, schedulerHarness, scoresOf } from '../harness.fixture.ts';
import { requestedToCapacityRatio } from './allocation-strategy.ts';
import { balancedAllocationScore } from './balanced-allocation.ts';
import { imageLocalityScore } from './image-locality.ts';
import { nodeAffinityScore } from './node-affinity.ts';
import { nodeResourcesFitScore, type ScoringStrategy } from './node-resources-fit.ts';
import { CPU_AND_MEMORY } from './resource-figures.ts';
import { taintTolerationScore } from './taint-toleration.ts';

const MI = 1024 * 1024;

describe('the allocation of a node', () => {
  // Node a has 4 CPU and 8Gi, of which 1 CPU and 2Gi are taken; b is empty with 10 CPU and 10Gi.
  const cluster = schedulerHarness({
    nodes: [node('a'), node('b', { allocatable: { cpu: '10', memory: '10Gi' } })],
    pods: { a: [pod('other', { requests: { cpu: '1', memory: '2Gi' } })] },
  });
  const shape = [
    { utilization: 0, score: 0 },
    { utilization: 100, score: 10 },
  ];
  const CASES: readonly [what: string, strategy: Partial<ScoringStrategy>, parts: PodOptions, expected: object][] = [
    // a: CPU (4000-2000)*100/4000 = 50, memory (8-4)*100/8 = 50; b: 90 and 80, mean 85.
    ['favors the emptier node', {}, { requests: { cpu: '1', memory: '2Gi' } }, { a: 50, b: 85 }],
    // A pod without requests counts 100m and 200Mi. a: 72 and (8192-2248)*100/8192 = 72.55 -> 72; b: 99 and 98, mean
    // 98.5 -> 98.
    ['assumes small requests if there are none', {}, {}, { a: 72, b: 98 }],
    // A request beyond the allocatable amount scores 0: a CPU 0, memory 50; b CPU 50, memory 80.
    ['scores zero for a resource that does not fit', {}, { requests: { cpu: '5', memory: '2Gi' } }, { a: 25, b: 65 }],
    [
      'favors the fuller node with MostAllocated',
      { type: 'MostAllocated' },
      { requests: { cpu: '1', memory: '2Gi' } },
      { a: 50, b: 15 },
    ],
    [
      'is weighted by resource',
      {
        resources: [
          { name: 'cpu', weight: 3 },
          { name: 'memory', weight: 1 },
        ],
      },
      { requests: { cpu: '2', memory: '2Gi' } },
      // a: (25*3+50)/4 = 31.25; b: (80*3+80)/4 = 80
      { a: 31, b: 80 },
    ],
    // a: 50 % -> 50 each; b: 10 % and 20 % -> 10 and 20, mean 15.
    [
      'follows a shape with RequestedToCapacityRatio',
      { type: 'RequestedToCapacityRatio', shape },
      { requests: { cpu: '1', memory: '2Gi' } },
      { a: 50, b: 15 },
    ],
  ];
  test.each(CASES)('%s', (_what, strategy, parts, expected) => {
    const full = { type: 'LeastAllocated', resources: CPU_AND_MEMORY, shape: [], ...strategy } as const;
    expect(scoresOf(nodeResourcesFitScore(full), pod('p', parts), cluster)?.raw).toEqual(expected);
  });

  test('counts a resource on other nodes if its shape score is 0 on one', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ];
    const two = schedulerHarness({
      nodes: [node('idle'), node('busy')],
      pods: { busy: [pod('o', { requests: { cpu: '4', memory: '16Gi' } })] },
    });
    const score = nodeResourcesFitScore({
      type: 'RequestedToCapacityRatio',
      resources: [{ name: 'cpu', weight: 1 }],
      shape,
    });
    const { raw } = scoresOf(score, pod('p'), two) ?? {};
    expect(raw?.['busy']).toBeGreaterThan(raw?.['idle'] ?? 0);
  });

  test('counts an extended resource only for pods that request it', () => {
    const gpus = schedulerHarness({
      nodes: [node('a', { allocatable: { 'example.com/gpu': '4' } })],
      pods: { a: [pod('other', { requests: { 'example.com/gpu': '1' } })] },
    });
    const resources = [
      { name: 'cpu', weight: 1 },
      { name: 'example.com/gpu', weight: 1 },
    ];
    const score = nodeResourcesFitScore({ type: 'LeastAllocated', resources, shape: [] });
    // The other pod counts 100m: CPU (4000-100-100)*100/4000 = 95; gpu (4-2)*100/4 = 50.
    expect(scoresOf(score, pod('p'), gpus)?.raw).toEqual({ a: 95 });
    expect(scoresOf(score, pod('p', { requests: { 'example.com/gpu': '1' } }), gpus)?.raw).toEqual({ a: 72 });
  });
});

test('a shape is interpolated linearly between its points, and constant beyond them', () => {
  const score = requestedToCapacityRatio([
    { utilization: 20, score: 10 },
    { utilization: 70, score: 3 },
  ]);
  // 45 %: 100 + (30-100)*(45-20)/50 = 65; 46 %: 100 - 36.4, truncated: 100 - 36 = 64.
  expect([10, 20, 45, 46, 70, 100, 150].map((taken) => score(taken, 100))).toEqual([100, 100, 65, 64, 30, 30, 30]);
});

describe('balanced allocation', () => {
  const cluster = schedulerHarness({
    nodes: [node('empty'), node('cpu')],
    pods: { cpu: [pod('other', { requests: { cpu: '2' } })] },
  });
  const CASES: readonly [what: string, requests: Record<string, string>, expected: object][] = [
    // empty: f = 1/4 and 2/8: std 0, 100 before and after -> 50+(50+0)/2 = 75. cpu: before |0.5-0|/2 = .25 -> 75; after .75, .25: .25 -> 75: 75.
    ['is highest for equal utilization', { cpu: '1', memory: '2Gi' }, { empty: 75, cpu: 75 }],
    // empty: after |0-0.5|/2 -> 75: 50+(50+75-100)/2 = 62.5 -> 62. cpu: before 75, after .5,.5 -> 100: 50+(50+25)/2 = 87.5 -> 87.
    ['favors the node that becomes more even', { memory: '4Gi' }, { empty: 62, cpu: 87 }],
  ];
  test.each(CASES)('%s', (_what, requests, expected) => {
    expect(scoresOf(balancedAllocationScore(), pod('p', { requests }), cluster)?.raw).toEqual(expected);
  });

  test('is unchanged by a pod without requests', () => {
    expect(scoresOf(balancedAllocationScore(), pod('p'), cluster)).toBeUndefined();
  });

  test('uses the standard deviation of more than two resources', () => {
    const gpus = schedulerHarness({ nodes: [node('a', { allocatable: { 'example.com/gpu': '2' } })] });
    const score = balancedAllocationScore([...CPU_AND_MEMORY, { name: 'example.com/gpu', weight: 1 }]);
    const requests = { cpu: '1', memory: '4Gi', 'example.com/gpu': '2' };
    // f = .25, .5, 1: mean .58333, variance (.11111+.00694+.17361)/3 = .09722, deviation .31180: 68. 50+(50+68-100)/2 = 59.
    expect(scoresOf(score, pod('p', { requests }), gpus)?.raw).toEqual({ a: 59 });
  });
});

test('nodes with fewer PreferNoSchedule taints score higher', () => {
  const avoid = (...keys: string[]) => keys.map((key) => ({ key, effect: 'PreferNoSchedule' }));
  const nodes = [node('none'), node('one', { taints: avoid('x') }), node('three', { taints: avoid('x', 'y', 'z') })];
  const scores = scoresOf(taintTolerationScore, pod('p'), schedulerHarness({ nodes }));
  expect(scores?.raw).toEqual({ none: 0, one: 1, three: 3 });
  expect(scores?.normalised).toEqual({ none: 100, one: 67, three: 0 });
  const tolerations = [{ operator: 'Exists' }];
  expect(scoresOf(taintTolerationScore, pod('p', { tolerations }), schedulerHarness({ nodes }))?.normalised).toEqual({
    none: 100,
    one: 100,
    three: 100,
  });
});

test('preferred nodes score the sum of the weights', () => {
  const preferred = (weight: number, key: string) => ({
    weight,
    preference: { matchExpressions: [{ key, operator: 'Exists' }] },
  });
  const affinity = {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred(10, 'x'), preferred(5, 'y')] },
  };
  const nodes = [node('both', { labels: { x: '', y: '' } }), node('y', { labels: { y: '' } }), node('none')];
  const scores = scoresOf(nodeAffinityScore, pod('p', { affinity }), schedulerHarness({ nodes }));
  expect(scores?.raw).toEqual({ both: 15, y: 5, none: 0 });
  expect(scores?.normalised).toEqual({ both: 100, y: 33, none: 0 });
  expect(scoresOf(nodeAffinityScore, pod('p'), schedulerHarness({ nodes }))).toBeUndefined();
});

describe('image locality', () => {
  const nodes = [node('a', { images: { 'big:1': 500 * MI, 'small:latest': 10 * MI } }), node('b')];
  const CASES: readonly [what: string, image: string, expected: object][] = [
    // 500Mi on one of two nodes counts 250Mi: 100*(250-23)/(1000-23) = 23.2.
    ['scales with the nodes that have the image', 'big:1', { a: 23, b: 0 }],
    ['ignores small images', 'small', { a: 0, b: 0 }],
    ['is zero for an unknown image', 'other:1', { a: 0, b: 0 }],
  ];
  test.each(CASES)('%s', (_what, image, expected) => {
    expect(scoresOf(imageLocalityScore, pod('p', { image }), schedulerHarness({ nodes }))?.raw).toEqual(expected);
  });

  test('scales with the number of containers', () => {
    const containers = [
      { name: 'c', image: 'big:1' },
      { name: 'd', image: 'other:1' },
    ];
    // 100*(250-23)/(2000-23) = 11.5
    expect(scoresOf(imageLocalityScore, pod('p', { containers }), schedulerHarness({ nodes }))?.raw).toEqual({
      a: 11,
      b: 0,
    });
  });
});
