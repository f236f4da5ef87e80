import { describe, expect, it } from 'vitest';
import type { Pod } from '#platform/kube/kinds/pod';
import {
  type Measurements,
  replicasForAverage,
  replicasForShare,
  replicasForUtilization,
  replicasForValue,
} from './replica-count.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const EARLIER = '2030-01-01T10:00:00Z';
const podOf = (name: string, phase = 'Running', ready = 'True', startTime = EARLIER): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [] },
  status: {
    phase,
    startTime,
    conditions: [{ type: 'Ready', status: ready as 'True', lastTransitionTime: startTime }],
  },
});
const measured = (...values: (number | undefined)[]): Measurements =>
  new Map(
    values.flatMap((value, at) => (value === undefined ? [] : [[`p${at}`, { value, at: NOW, windowMs: 60_000 }]])),
  );
const pods = (count: number) => Array.from({ length: count }, (_, at) => podOf(`p${at}`));
const tolerances = { up: 0.1, down: 0.1 };
const sizing = (list: Pod[], measurements: Measurements, resource?: string) => ({
  current: list.length,
  pods: list,
  measurements,
  tolerances,
  now: NOW,
  ...(resource === undefined ? {} : { resource }),
});

describe('the replicas for an average', () => {
  it.each<[string, Pod[], Measurements, number, number]>([
    ['grow with the usage', pods(3), measured(300, 500, 700), 300, 5],
    ['shrink with the usage', pods(4), measured(100, 100, 100, 100), 200, 2],
    ['stay within the tolerance', pods(3), measured(109, 109, 109), 100, 3],
    ['grow beyond the tolerance', pods(3), measured(111, 111, 111), 100, 4],
    ['count missing pods as idle when growing', pods(4), measured(200, 200), 100, 4],
    ['count missing pods as busy when shrinking', pods(4), measured(10, 10), 100, 3],
    ['ignore failed pods', [...pods(2), podOf('p2', 'Failed')], measured(200, 200, 900), 100, 4],
    ['count pending pods as idle when growing', [...pods(2), podOf('p2', 'Pending')], measured(300, 300), 100, 6],
  ])('%s', (_what, list, measurements, target, expected) => {
    expect(replicasForAverage(sizing(list, measurements), target).replicas).toBe(expected);
  });

  it('ignore the CPU usage of pods that are starting', () => {
    const started = new Date(NOW - 60_000).toISOString();
    const list = [...pods(2), podOf('p2', 'Running', 'False', started)];
    expect(replicasForAverage(sizing(list, measured(100, 100, 900), 'cpu'), 100).replicas).toBe(3);
    expect(replicasForAverage(sizing(list, measured(100, 100, 900), 'memory'), 100).replicas).toBe(11);
  });

  it('cannot be computed without pods or measurements', () => {
    expect(() => replicasForAverage(sizing([], measured(1)), 1)).toThrow('no pods returned by selector');
    expect(() => replicasForAverage(sizing(pods(1), measured()), 1)).toThrow('did not receive metrics');
  });
});

it('the replicas for a utilization compare the usage of all pods with their requests', () => {
  const requests = new Map(['p0', 'p1', 'p2'].map((name) => [name, 1000]));
  const found = replicasForUtilization(sizing(pods(3), measured(300, 500, 700)), requests, 30);
  expect(found).toEqual({ replicas: 5, average: 500, utilization: 50 });
});

it('the replicas for a value depend on the ready pods, or on the value alone if there are none', () => {
  expect(replicasForValue(3, pods(3), 20, 10, tolerances)).toBe(6);
  expect(replicasForValue(3, [...pods(2), podOf('p2', 'Running', 'False')], 20, 10, tolerances)).toBe(4);
  expect(replicasForValue(0, [], 25, 10, tolerances)).toBe(3);
  expect(replicasForShare(3, 100, 10, tolerances)).toBe(10);
  expect(replicasForShare(3, 31, 10, tolerances)).toBe(3);
});
