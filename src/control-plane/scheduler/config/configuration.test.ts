import { describe, expect, test } from 'vitest';
import { ConfigError } from '#platform/base/errors';
import type { Profile } from '../framework/profile.ts';
import { chosenFor, node, pod, schedulerHarness, scoresOf } from '../harness.fixture.ts';
import { defaultConfiguration, readConfiguration } from './configuration.ts';

const weights = ({ scores }: Profile) => Object.fromEntries(scores.map(({ score, weight }) => [score.name, weight]));
const filters = (profile: Profile) => profile.filters.map(({ name }) => name);
const first = (file: object): Profile => readConfiguration(file).profiles[0] as Profile;
const profile = (parts: object) => first({ profiles: [parts] });

test('an empty file has the defaults of kube-scheduler', () => {
  const { profiles, ...rest } = readConfiguration({});
  expect(rest).toEqual({ initialBackoffMs: 1_000, maxBackoffMs: 10_000, bindTimeoutMs: 600_000 });
  expect(profiles.map(({ schedulerName }) => schedulerName)).toEqual(['default-scheduler']);
  expect(weights(profiles[0] as Profile)).toEqual({
    TaintToleration: 3,
    NodeAffinity: 2,
    NodeResourcesFit: 1,
    PodTopologySpread: 2,
    InterPodAffinity: 2,
    NodeResourcesBalancedAllocation: 1,
    ImageLocality: 1,
  });
  expect(filters(profiles[0] as Profile)).toEqual(filters(defaultConfiguration().profiles[0] as Profile));
  expect(filters(profiles[0] as Profile)).toHaveLength(12);
});

test('plugins can be disabled, enabled and weighted', () => {
  const plugins = {
    multiPoint: { disabled: [{ name: 'ImageLocality' }] },
    filter: { disabled: [{ name: 'NodePorts' }] },
    score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit', weight: 7 }, { name: 'ImageLocality' }] },
    postFilter: { disabled: [{ name: 'DefaultPreemption' }] },
  };
  const made = profile({ plugins });
  expect(weights(made)).toEqual({ NodeResourcesFit: 7, ImageLocality: 1 });
  expect(filters(made)).not.toContain('NodePorts');
  expect(filters(made)).toContain('NodeResourcesFit');
  expect(made.preemption).toBeUndefined();
});

test('a weight can be set for all extension points', () => {
  const plugins = { multiPoint: { enabled: [{ name: 'PodTopologySpread', weight: 9 }] } };
  expect(weights(profile({ plugins }))['PodTopologySpread']).toBe(9);
});

test('MostAllocated chooses the fuller node, LeastAllocated the emptier one', () => {
  const cluster = () =>
    schedulerHarness({
      nodes: [node('full'), node('empty')],
      pods: { full: [pod('o', { requests: { cpu: '2', memory: '4Gi' } })] },
    });
  const fit = (scoringStrategy: object) => ({
    pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy } }],
  });
  const shape = [
    { utilization: 0, score: 0 },
    { utilization: 100, score: 10 },
  ];
  const candidate = pod('p', { requests: { cpu: '1', memory: '2Gi' } });
  const chosen = (parts: object) => chosenFor(candidate, cluster(), profile(parts));
  expect(chosen({})).toBe('empty');
  expect(chosen(fit({ type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] }))).toBe('full');
  expect(chosen(fit({ type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } }))).toBe('full');
});

test('arguments reach their plugins', () => {
  const made = profile({
    percentageOfNodesToScore: 30,
    pluginConfig: [
      { name: 'InterPodAffinity', args: { kind: 'InterPodAffinityArgs', hardPodAffinityWeight: 50 } },
      { name: 'DefaultPreemption', args: { minCandidateNodesAbsolute: 5 } },
      { name: 'PodTopologySpread', args: { defaultingType: 'List', defaultConstraints: [] } },
    ],
  });
  expect(made.percentageOfNodesToScore).toBe(30);
  expect(made.preemption).toEqual({ minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 5 });
  const spread = made.scores.find(({ score }) => score.name === 'PodTopologySpread');
  const cluster = schedulerHarness({ nodes: [node('a')], service: { app: 'a' } });
  expect(spread && scoresOf(spread.score, pod('p', { labels: { app: 'a' } }), cluster)).toBeUndefined();
});

test('a file may have several profiles and the back-off times of the queue', () => {
  const read = readConfiguration({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    percentageOfNodesToScore: 50,
    podInitialBackoffSeconds: 2,
    podMaxBackoffSeconds: 30,
    profiles: [{ schedulerName: 'packing' }, { schedulerName: 'spreading', percentageOfNodesToScore: 100 }],
  });
  expect(read).toMatchObject({ initialBackoffMs: 2_000, maxBackoffMs: 30_000 });
  expect(read.profiles.map((each) => [each.schedulerName, each.percentageOfNodesToScore])).toEqual([
    ['packing', 50],
    ['spreading', 100],
  ]);
});

describe('in the arguments of plugins,', () => {
  const config = (name: string, args: object) => ({ profiles: [{ pluginConfig: [{ name, args }] }] });
  const fit = (scoringStrategy: object) => config('NodeResourcesFit', { scoringStrategy });
  const shape = (point: object) =>
    fit({
      type: 'RequestedToCapacityRatio',
      requestedToCapacityRatio: { shape: [{ utilization: 1, score: 1, ...point }] },
    });
  const MAX_INT32 = 2_147_483_647;
  test.each<[field: string, min: number, max: number, file: (value: number) => object]>([
    ['weight', 1, 100, (weight) => fit({ resources: [{ name: 'cpu', weight }] })],
    ['weight', 1, 100, (weight) => config('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight }] })],
    ['utilization', 0, 100, (utilization) => shape({ utilization })],
    ['score', 0, 10, (score) => shape({ score })],
    ['hardPodAffinityWeight', 0, 100, (hardPodAffinityWeight) => config('InterPodAffinity', { hardPodAffinityWeight })],
    [
      'maxSkew',
      1,
      MAX_INT32,
      (maxSkew) =>
        config('PodTopologySpread', {
          defaultingType: 'List',
          defaultConstraints: [{ topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew }],
        }),
    ],
    [
      'minCandidateNodesPercentage',
      0,
      100,
      (minCandidateNodesPercentage) => config('DefaultPreemption', { minCandidateNodesPercentage }),
    ],
    [
      'minCandidateNodesAbsolute',
      0,
      MAX_INT32,
      (minCandidateNodesAbsolute) => config('DefaultPreemption', { minCandidateNodesAbsolute }),
    ],
    ['bindTimeoutSeconds', 0, MAX_INT32, (bindTimeoutSeconds) => config('VolumeBinding', { bindTimeoutSeconds })],
    ['percentageOfNodesToScore', 0, 100, (percentageOfNodesToScore) => ({ percentageOfNodesToScore })],
  ])('%s is at least %d and at most %d', (field, min, max, file) => {
    for (const value of [min, max]) expect(() => readConfiguration(file(value))).not.toThrow();
    for (const value of [min - 1, max + 1, min + 0.5]) {
      expect(() => readConfiguration(file(value))).toThrow(
        `${field}: Invalid value: ${value}: must be a whole number from ${min} to ${max}`,
      );
    }
  });

  test('bindTimeoutSeconds is in seconds', () => {
    const { bindTimeoutMs } = readConfiguration(config('VolumeBinding', { bindTimeoutSeconds: 7 }));
    expect(bindTimeoutMs).toBe(7_000);
    expect(readConfiguration(config('VolumeBinding', {})).bindTimeoutMs).toBe(600_000);
  });
});

describe('a file is rejected', () => {
  const fit = (scoringStrategy: object) => ({
    profiles: [{ pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy } }] }],
  });
  const CASES: readonly [file: unknown, message: string][] = [
    [{ leaderElection: {} }, 'leaderElection: Invalid value: {}: unknown field'],
    [{ profiles: [{ plugin: {} }] }, 'profiles[0].plugin: Invalid value: {}: unknown field'],
    [{ profiles: {} }, 'profiles: Invalid value: {}: must be a list'],
    [
      { percentageOfNodesToScore: 101 },
      'percentageOfNodesToScore: Invalid value: 101: must be a whole number from 0 to 100',
    ],
    [{ kind: 'Pod' }, 'kind: Unsupported value: "Pod": supported values: "KubeSchedulerConfiguration"'],
    [{ profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] }, 'profiles[1].schedulerName: Duplicate value: "a"'],
    [
      { profiles: [{ plugins: { filter: { enabled: [{ name: 'Nope' }] } } }] },
      'profiles[0].plugins.filter.enabled[0].name: Unsupported value: "Nope"',
    ],
    [{ profiles: [{ plugins: { reserve: {} } }] }, 'profiles[0].plugins.reserve: Invalid value: {}: unknown field'],
    [
      { profiles: [{ pluginConfig: [{ name: 'NodeAffinity' }] }] },
      'profiles[0].pluginConfig[0].name: Unsupported value: "NodeAffinity"',
    ],
    [fit({ type: 'Best' }), 'profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Best"'],
    [
      fit({ type: 'RequestedToCapacityRatio' }),
      'profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified',
    ],
    [
      fit({
        type: 'RequestedToCapacityRatio',
        requestedToCapacityRatio: {
          shape: [
            { utilization: 50, score: 1 },
            { utilization: 50, score: 2 },
          ],
        },
      }),
      'scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: utilization values must be sorted in increasing order',
    ],
    [fit({ resources: [{ name: 'cpu', weight: 0 }] }), 'scoringStrategy.resources[0].weight: Invalid value: 0'],
  ];
  test.each(CASES)('because of %j', (file, message) => {
    expect(() => readConfiguration(file)).toThrow(message);
  });

  test('with all errors at once', () => {
    const wrong = { percentageOfNodesToScore: 'x', profiles: [{ oops: 1 }] };
    expect(() => readConfiguration(wrong)).toThrow(ConfigError);
    expect(() => readConfiguration(wrong)).toThrow(/percentageOfNodesToScore.*; profiles\[0\]\.oops/);
  });
});
