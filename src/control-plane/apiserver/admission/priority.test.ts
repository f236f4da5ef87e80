import { describe, expect, test } from 'vitest';
import type { Pod } from '../kinds/pod/pod-spec.ts';
import { type Cluster, podOf, testCluster } from './chain.fixture.ts';

async function withClasses(): Promise<Cluster> {
  const cluster = await testCluster();
  await cluster.create('priorityclasses.scheduling.k8s.io', { metadata: { name: 'high' }, value: 1000 });
  return cluster;
}

async function priorityOf(cluster: Cluster, spec: object) {
  const { priority, preemptionPolicy, priorityClassName } = (
    (await cluster.create('pods/x', podOf(spec), { dryRun: true })) as Pod
  ).spec;
  return { priority, preemptionPolicy, priorityClassName };
}

describe('the priority of a pod', () => {
  test('is that of its class, and zero without a class', async () => {
    const cluster = await withClasses();
    expect(await priorityOf(cluster, { priorityClassName: 'high' })).toEqual({
      priority: 1000,
      preemptionPolicy: 'PreemptLowerPriority',
      priorityClassName: 'high',
    });
    expect(await priorityOf(cluster, {})).toEqual({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });

  test('is that of the default class if there is one', async () => {
    const cluster = await withClasses();
    const normal = { metadata: { name: 'normal' }, value: 7, globalDefault: true, preemptionPolicy: 'Never' };
    await cluster.create('priorityclasses.scheduling.k8s.io', normal);
    const given = { priority: 7, preemptionPolicy: 'Never', priorityClassName: 'normal' };
    expect(await priorityOf(cluster, {})).toEqual(given);
    expect(await priorityOf(cluster, { priority: 7 })).toEqual(given);
  });

  test('stays what it was when an update leaves it out', async () => {
    const cluster = await withClasses();
    await cluster.create('pods/x', podOf({ priorityClassName: 'high' }));
    const pod = (await cluster.patch('pods/x/a', { spec: { priority: null, preemptionPolicy: null } })) as Pod;
    expect(pod.spec.priority).toBe(1000);
    expect(pod.spec.preemptionPolicy).toBe('PreemptLowerPriority');
  });
});

const GIVEN = 'must not be provided in pod spec; priority admission controller computed';

test.each<[problem: string, spec: object]>([
  ['no PriorityClass with name nope was found', { priorityClassName: 'nope' }],
  [`the integer value of priority (5) ${GIVEN} 0 from the given PriorityClass name`, { priority: 5 }],
  [
    `the integer value of priority (3) ${GIVEN} 1000 from the given PriorityClass name`,
    { priorityClassName: 'high', priority: 3 },
  ],
  [
    `the string value of PreemptionPolicy (Never) ${GIVEN} PreemptLowerPriority from the given PriorityClass name`,
    { preemptionPolicy: 'Never' },
  ],
])('rejects a pod: %s', async (problem, spec) => {
  const cluster = await withClasses();
  const { message } = await cluster.refused(cluster.create('pods/x', podOf(spec)));
  expect(message).toBe(`pods "a" is forbidden: ${problem}`);
});

test('only one class can be the default', async () => {
  const cluster = await withClasses();
  const classOf = (name: string) => ({ metadata: { name }, value: 1, globalDefault: true });
  await cluster.create('priorityclasses.scheduling.k8s.io', classOf('one'));
  const { message } = await cluster.refused(cluster.create('priorityclasses.scheduling.k8s.io', classOf('two')));
  expect(message).toBe(
    'priorityclasses.scheduling.k8s.io "two" is forbidden: PriorityClass one is already marked as default. Only one default can exist',
  );
  await expect(
    cluster.patch('priorityclasses.scheduling.k8s.io/one', { description: 'still the default' }),
  ).resolves.toBeDefined();
});

test('the system classes cannot be deleted', async () => {
  const cluster = await testCluster();
  const name = 'system-node-critical';
  await cluster.create('priorityclasses.scheduling.k8s.io', { metadata: { name }, value: 2_000_001_000 });
  const { message } = await cluster.refused(cluster.delete(`priorityclasses.scheduling.k8s.io/${name}`));
  expect(message).toBe(
    `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
  );
});
