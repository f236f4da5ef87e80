import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { startCluster } from '#testing/cluster';
import { readConfiguration } from './config/configuration.ts';
import { namespace, type TestCluster, testClusterOn } from './test-cluster.fixture.ts';

const PRIORITY_CLASSES = resourceType('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'Cluster');
let trial: TestCluster;

beforeEach(async () => {
  trial = await testClusterOn(await startCluster());
});
afterEach(() => trial.cluster.stop());

test('binds a pod to the node with enough resources, and records an Event', async () => {
  await trial.addNode('small', { cpu: '1' });
  await trial.addNode('large', { cpu: '8' });
  const made = trial.start();
  await trial.addPod('p', '2');
  expect(await trial.nodeOf('p')).toBe('large');
  expect((await trial.scheduledOf('p'))?.status).toBe('True');
  await trial.cluster.until(() => trial.said.length > 0);
  expect(trial.said).toEqual(['p Normal Scheduled: Successfully assigned default/p to large']);
  const [explained] = made.explanationOf(namespace, 'p');
  expect(explained).toMatchObject({ node: 'large', attempt: 1, scheduler: 'default-scheduler' });
  expect(explained?.nodes).toContainEqual({
    name: 'small',
    suits: false,
    refusedBy: 'NodeResourcesFit',
    reasons: ['Insufficient cpu'],
  });
});

describe('a pod that fits nowhere', () => {
  const MESSAGE =
    '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';
  beforeEach(async () => {
    await trial.addNode('a', { cpu: '1' });
    await trial.addNode('b', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] });
  });

  test('reports why, and is scheduled when a node is added', async () => {
    const made = trial.start();
    await trial.addPod('p', '2');
    expect(await trial.messageOf('p')).toBe(MESSAGE);
    expect(await trial.scheduledOf('p')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(trial.said).toEqual([`p Warning FailedScheduling: ${MESSAGE}`]);
    await trial.addNode('c');
    expect(await trial.nodeOf('p')).toBe('c');
    const tries = made.explanationOf(namespace, 'p');
    expect([tries.at(0)?.node, tries.at(-1)?.message]).toEqual(['c', MESSAGE]);
  });

  test('writes its condition only when the message changes', async () => {
    trial.start();
    await trial.addPod('p', '2');
    await trial.messageOf('p');
    const { resourceVersion } = (await trial.get('p')).metadata;
    // No event has woken it for five minutes, so it is tried again with the same result.
    await trial.cluster.clock.advance(330_000);
    await trial.cluster.until(() => trial.said.length > 1);
    await trial.cluster.settle();
    expect((await trial.get('p')).metadata.resourceVersion).toBe(resourceVersion);
    await trial.addNode('c', { cpu: '1' });
    await trial.cluster.clock.advance(330_000);
    await trial.cluster.until(async () => (await trial.scheduledOf('p'))?.message?.startsWith('0/3'));
    expect((await trial.scheduledOf('p'))?.lastTransitionTime).toBe('2030-01-01T00:00:00Z');
  });

  test('is not scheduled after it is deleted', async () => {
    trial.start();
    await trial.addPod('p', '2');
    await trial.messageOf('p');
    await trial.cluster.admin.delete(PODS, 'p', { namespace, gracePeriodSeconds: 0 });
    await trial.addNode('c');
    await trial.addPod('q', '4');
    expect(await trial.nodeOf('q')).toBe('c');
  });
});

test('a pod without any node reports that', async () => {
  trial.start();
  await trial.addPod('p');
  expect(await trial.messageOf('p')).toBe('no nodes available to schedule pods');
  await trial.addNode('a');
  expect(await trial.nodeOf('p')).toBe('a');
});

test('only pods with one of its profiles are scheduled', async () => {
  await trial.addNode('a');
  await trial.addNode('b');
  const packing = [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }];
  const file = { profiles: [{ schedulerName: 'packing', pluginConfig: packing }] };
  trial.start({ configuration: readConfiguration(file) });
  await trial.addPod('other');
  await trial.addPod('first', '1', { schedulerName: 'packing' });
  const node = await trial.nodeOf('first');
  await trial.addPod('second', '1', { schedulerName: 'packing' });
  expect(await trial.nodeOf('second')).toBe(node);
  await trial.cluster.settle();
  expect((await trial.get('other')).spec.nodeName).toBeUndefined();
});

test('a scheduling gate delays a pod', async () => {
  await trial.addNode('a');
  trial.start();
  await trial.addPod('p', '1', { schedulingGates: [{ name: 'example.com/wait' }] });
  await trial.cluster.settle();
  const gated = await trial.get('p');
  expect(gated.spec.nodeName).toBeUndefined();
  await trial.cluster.admin.update(PODS, { ...gated, spec: { ...gated.spec, schedulingGates: [] } });
  expect(await trial.nodeOf('p')).toBe('a');
});

test('no node gets more than its capacity, however many pods are created at once', async () => {
  for (const name of ['a', 'b', 'c']) await trial.addNode(name);
  trial.start();
  await Promise.all(Array.from({ length: 15 }, (_, i) => trial.addPod(`p${i}`)));
  await trial.cluster.until(() => trial.said.length >= 15);
  const pods = (await trial.cluster.admin.list(PODS, { namespace })).items;
  const counts = new Map<string, number>();
  for (const { spec } of pods) counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ a: 4, b: 4, c: 4, '': 3 });
});

describe('after a failed binding', () => {
  test('the resources are free again, and the pod is retried', async () => {
    await trial.addNode('a', { cpu: '1' });
    let refusals = 1;
    const through = (client: Client): Client => ({
      ...client,
      act: (...given) => (refusals-- > 0 ? Promise.reject(new Error('no time')) : client.act(...given)),
    });
    trial.start({ through });
    await trial.addPod('p');
    await trial.cluster.until(() => trial.said.length > 0);
    expect(trial.said).toEqual(['p Warning FailedScheduling: running Bind plugin "DefaultBinder": no time']);
    expect(await trial.scheduledOf('p')).toMatchObject({ status: 'False', reason: 'SchedulerError' });
    await trial.cluster.clock.advance(1_000);
    expect(await trial.nodeOf('p')).toBe('a');
  });

  test('another pod can use the resources', async () => {
    await trial.addNode('a', { cpu: '1' });
    const through = (client: Client): Client => ({
      ...client,
      act: (type, name, ...rest) =>
        name === 'unlucky' ? Promise.reject(new Error('no time')) : client.act(type, name, ...rest),
    });
    trial.start({ through });
    await trial.addPod('unlucky');
    await trial.cluster.until(() => trial.said.length > 0);
    await trial.addPod('lucky');
    expect(await trial.nodeOf('lucky')).toBe('a');
  });
});

test('a pod of higher priority preempts others', async () => {
  await trial.cluster.admin.create(PRIORITY_CLASSES, { metadata: { name: 'high' }, value: 1000 });
  await trial.addNode('a', { cpu: '2' });
  const made = trial.start();
  await trial.addPod('low-1');
  await trial.addPod('low-2');
  await trial.nodeOf('low-2');
  const { metadata } = await trial.addPod('high', '2', { priorityClassName: 'high' });
  expect(await trial.nodeOf('high')).toBe('a');
  const left = (await trial.cluster.admin.list(PODS, { namespace })).items.map(({ metadata: { name } }) => name);
  expect(left).toEqual(['high']);
  expect(trial.said).toContain(`low-1 Normal Preempted: Preempted by pod ${metadata.uid} on node a`);
  expect(trial.said).toContain('high Warning FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.');
  expect(made.explanationOf(namespace, 'high').at(-1)).toMatchObject({ nominatedNode: 'a' });
});

test('pods bound before the scheduler starts are counted', async () => {
  await trial.addNode('a', { cpu: '2' });
  await trial.addNode('b', { cpu: '2' });
  await trial.addPod('there', '2', { nodeName: 'a' });
  await trial.addPod('p', '2');
  trial.start();
  expect(await trial.nodeOf('p')).toBe('b');
});

test('stops with its signal', async () => {
  await trial.addNode('a');
  const made = trial.start();
  await trial.addPod('p');
  await trial.addPod('large', '9');
  await trial.nodeOf('p');
  await trial.messageOf('large');
  await made.stop();
  await trial.addPod('late');
  await trial.cluster.settle();
  expect((await trial.get('late')).spec.nodeName).toBeUndefined();
});
