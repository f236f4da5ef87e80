import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../kube/client.ts';
import { conditionOf } from '../kube/kinds/condition.ts';
import { NODES, type Taint } from '../kube/kinds/node.ts';
import { PODS, type Pod } from '../kube/kinds/pod.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../kube/kinds/rbac.ts';
import { resourceType } from '../kube/kinds/resource-type.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../kube/kinds/storage.ts';
import { Informers } from '../runtime/informers.ts';
import { manager } from '../runtime/manager.ts';
import { type Cluster, startCluster } from '../testing/cluster.ts';
import { readConfiguration, type SchedulerConfiguration } from './config/configuration.ts';
import { SCHEDULER_RULES } from './rules.ts';
import { type Scheduler, scheduler } from './scheduler.ts';

const PRIORITY_CLASSES = resourceType('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', 'Cluster');
/** Has the rights that the scheduler asks for and no others. */
const USER = { name: 'placing', groups: ['system:authenticated'] };
const namespace = 'default';
let cluster: Cluster;
let said: string[];

beforeEach(async () => {
  cluster = await startCluster();
  said = [];
  await cluster.admin.create(CLUSTER_ROLES, { metadata: { name: 'placing' }, rules: SCHEDULER_RULES });
  await cluster.admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: 'placing' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'placing' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER.name }],
  });
});
afterEach(() => cluster.stop());

interface Start {
  readonly configuration?: SchedulerConfiguration;
  /** Stands before the client, to make it fail. */
  readonly through?: (client: Client) => Client;
}

function start({ configuration, through = (client) => client }: Start = {}): Scheduler & { stop(): Promise<void> } {
  const { clock, random, log } = cluster;
  const client = cluster.clientFor(USER);
  const informers = new Informers({ clock, random, log, client });
  const events = {
    event: ({ metadata }: Pick<Pod, 'metadata'>, type: string, reason: string, message: string) =>
      void said.push(`${metadata.name} ${type} ${reason}: ${message}`),
  };
  const parts = { client: through(client), informers, clock, random, log, events };
  const made = scheduler(configuration === undefined ? parts : { ...parts, configuration });
  return { ...made, stop: cluster.run(manager('scheduler', [informers, made])) };
}

interface NodeParts {
  readonly cpu?: string;
  readonly taints?: readonly Taint[];
}

async function addNode(name: string, { cpu = '4', taints = [] }: NodeParts = {}): Promise<void> {
  const made = await cluster.admin.create(NODES, {
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: { taints },
    status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, capacity: { cpu, memory: '8Gi', pods: '10' } },
  });
  // The server holds new nodes back until somebody says that they are ready.
  await cluster.admin.update(NODES, { ...made, spec: { taints } });
}

async function addPod(name: string, cpu = '1', spec: object = {}): Promise<Pod> {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
  const whole = { containers, terminationGracePeriodSeconds: 0, ...spec };
  return await cluster.admin.create(PODS, { metadata: { name, namespace }, spec: whole });
}

const get = (name: string): Promise<Pod> => cluster.admin.get(PODS, name, { namespace });
const scheduledOf = async (name: string) => conditionOf((await get(name)).status?.conditions, 'PodScheduled');
const nodeOf = (name: string) => cluster.until(async () => (await get(name)).spec.nodeName ?? false);
const messageOf = (name: string) => cluster.until(async () => (await scheduledOf(name))?.message ?? false);

test('a pod gets the node that has room for it, and hears of it', async () => {
  await addNode('small', { cpu: '1' });
  await addNode('large', { cpu: '8' });
  const made = start();
  await addPod('p', '2');
  expect(await nodeOf('p')).toBe('large');
  expect((await scheduledOf('p'))?.status).toBe('True');
  await cluster.until(() => said.length > 0);
  expect(said).toEqual(['p Normal Scheduled: Successfully assigned default/p to large']);
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
    await addNode('a', { cpu: '1' });
    await addNode('b', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] });
  });

  test('says why, and is placed when a node comes', async () => {
    const made = start();
    await addPod('p', '2');
    expect(await messageOf('p')).toBe(MESSAGE);
    expect(await scheduledOf('p')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(said).toEqual([`p Warning FailedScheduling: ${MESSAGE}`]);
    await addNode('c');
    expect(await nodeOf('p')).toBe('c');
    const tries = made.explanationOf(namespace, 'p');
    expect([tries.at(0)?.node, tries.at(-1)?.message]).toEqual(['c', MESSAGE]);
  });

  test('writes its condition only when it says something else', async () => {
    start();
    await addPod('p', '2');
    await messageOf('p');
    const { resourceVersion } = (await get('p')).metadata;
    // Nothing has woken it for five minutes, so it is tried again, with the same end.
    await cluster.clock.advance(330_000);
    await cluster.until(() => said.length > 1);
    await cluster.settle();
    expect((await get('p')).metadata.resourceVersion).toBe(resourceVersion);
    await addNode('c', { cpu: '1' });
    await cluster.clock.advance(330_000);
    await cluster.until(async () => (await scheduledOf('p'))?.message?.startsWith('0/3'));
    expect((await scheduledOf('p'))?.lastTransitionTime).toBe('2030-01-01T00:00:00Z');
  });

  test('is left alone once it is gone', async () => {
    start();
    await addPod('p', '2');
    await messageOf('p');
    await cluster.admin.delete(PODS, 'p', { namespace, gracePeriodSeconds: 0 });
    await addNode('c');
    await addPod('q', '4');
    expect(await nodeOf('q')).toBe('c');
  });
});

test('with no node at all there is nothing to count', async () => {
  start();
  await addPod('p');
  expect(await messageOf('p')).toBe('no nodes available to schedule pods');
  await addNode('a');
  expect(await nodeOf('p')).toBe('a');
});

test('only pods that name one of its profiles are its own', async () => {
  await addNode('a');
  await addNode('b');
  const packing = [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }];
  const file = { profiles: [{ schedulerName: 'packing', pluginConfig: packing }] };
  start({ configuration: readConfiguration(file) });
  await addPod('other');
  await addPod('first', '1', { schedulerName: 'packing' });
  const node = await nodeOf('first');
  await addPod('second', '1', { schedulerName: 'packing' });
  expect(await nodeOf('second')).toBe(node);
  await cluster.settle();
  expect((await get('other')).spec.nodeName).toBeUndefined();
});

test('a gate holds a pod back', async () => {
  await addNode('a');
  start();
  await addPod('p', '1', { schedulingGates: [{ name: 'example.com/wait' }] });
  await cluster.settle();
  const gated = await get('p');
  expect(gated.spec.nodeName).toBeUndefined();
  await cluster.admin.update(PODS, { ...gated, spec: { ...gated.spec, schedulingGates: [] } });
  expect(await nodeOf('p')).toBe('a');
});

test('no node gets more than it can hold, however many come at once', async () => {
  for (const name of ['a', 'b', 'c']) await addNode(name);
  start();
  await Promise.all(Array.from({ length: 15 }, (_, i) => addPod(`p${i}`)));
  await cluster.until(() => said.length >= 15);
  const pods = (await cluster.admin.list(PODS, { namespace })).items;
  const counts = new Map<string, number>();
  for (const { spec } of pods) counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ a: 4, b: 4, c: 4, '': 3 });
});

describe('when the server does not take a binding', () => {
  test('the room is free again, and the pod is tried once more', async () => {
    await addNode('a', { cpu: '1' });
    let refusals = 1;
    const through = (client: Client): Client => ({
      ...client,
      act: (...given) => (refusals-- > 0 ? Promise.reject(new Error('no time')) : client.act(...given)),
    });
    start({ through });
    await addPod('p');
    await cluster.until(() => said.length > 0);
    expect(said).toEqual(['p Warning FailedScheduling: running Bind plugin "DefaultBinder": no time']);
    expect(await scheduledOf('p')).toMatchObject({ status: 'False', reason: 'SchedulerError' });
    await cluster.clock.advance(1_000);
    expect(await nodeOf('p')).toBe('a');
  });

  test('another pod can have the room meanwhile', async () => {
    await addNode('a', { cpu: '1' });
    const through = (client: Client): Client => ({
      ...client,
      act: (type, name, ...rest) =>
        name === 'unlucky' ? Promise.reject(new Error('no time')) : client.act(type, name, ...rest),
    });
    start({ through });
    await addPod('unlucky');
    await cluster.until(() => said.length > 0);
    await addPod('lucky');
    expect(await nodeOf('lucky')).toBe('a');
  });
});

test('a pod of higher priority takes the place of others', async () => {
  await cluster.admin.create(PRIORITY_CLASSES, { metadata: { name: 'high' }, value: 1000 });
  await addNode('a', { cpu: '2' });
  const made = start();
  await addPod('low-1');
  await addPod('low-2');
  await nodeOf('low-2');
  const { metadata } = await addPod('high', '2', { priorityClassName: 'high' });
  expect(await nodeOf('high')).toBe('a');
  const left = (await cluster.admin.list(PODS, { namespace })).items.map(({ metadata: { name } }) => name);
  expect(left).toEqual(['high']);
  expect(said).toContain(`low-1 Normal Preempted: Preempted by pod ${metadata.uid} on node a`);
  expect(said).toContain('high Warning FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.');
  expect(made.explanationOf(namespace, 'high').at(-1)).toMatchObject({ nominatedNode: 'a' });
});

describe('a claim that waits for a pod', () => {
  const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }];
  const claimed = () => cluster.admin.get(PERSISTENT_VOLUME_CLAIMS, 'c', { namespace });

  async function addClaim(provisioner: string): Promise<void> {
    const volumeBindingMode = 'WaitForFirstConsumer';
    await cluster.admin.create(STORAGE_CLASSES, { metadata: { name: 'late' }, provisioner, volumeBindingMode });
    const spec = { ...CLAIM, storageClassName: 'late' };
    await cluster.admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'c', namespace }, spec });
  }

  /** What the controller of claims does when there is a volume. */
  async function bindClaim(volumeName: string): Promise<void> {
    const claim = await claimed();
    const annotations = { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' };
    const metadata = { ...claim.metadata, annotations };
    await cluster.admin.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata, spec: { ...claim.spec, volumeName } });
  }

  const selectedNode = () =>
    cluster.until(async () => (await claimed()).metadata.annotations?.['volume.kubernetes.io/selected-node'] ?? false);

  beforeEach(() => addNode('a'));

  test('gets its volume for the node of the pod, and the pod waits for it', async () => {
    await addClaim('example.com/disks');
    start();
    await addPod('p', '1', { volumes });
    expect(await selectedNode()).toBe('a');
    await cluster.settle();
    expect((await get('p')).spec.nodeName).toBeUndefined();
    await bindClaim('x');
    expect(await nodeOf('p')).toBe('a');
  });

  test('gets a free volume that the node reaches', async () => {
    await addNode('b');
    await addClaim('kubernetes.io/no-provisioner');
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['b'] }];
    const local = {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      local: { path: '/disk' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    };
    const volume = await cluster.admin.create(PERSISTENT_VOLUMES, { metadata: { name: 'local' }, spec: local });
    const status = { phase: 'Available' };
    await cluster.admin.update(PERSISTENT_VOLUMES, { ...volume, status }, { subresource: 'status' });
    start();
    await addPod('p', '1', { volumes });
    const { uid } = (await claimed()).metadata;
    await cluster.until(async () => {
      const { spec } = await cluster.admin.get(PERSISTENT_VOLUMES, 'local', {});
      return spec.claimRef?.uid === uid;
    });
    await bindClaim('local');
    expect(await nodeOf('p')).toBe('b');
  });

  test('is not waited for without end', async () => {
    await addClaim('example.com/disks');
    const pluginConfig = [{ name: 'VolumeBinding', args: { bindTimeoutSeconds: 60 } }];
    start({ configuration: readConfiguration({ profiles: [{ pluginConfig }] }) });
    await addPod('p', '1', { volumes });
    await selectedNode();
    await cluster.clock.advance(60_000);
    expect(await messageOf('p')).toBe(
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    );
    const spec = {
      accessModes: CLAIM.accessModes,
      capacity: { storage: '1Gi' },
      hostPath: { path: '/x' },
      storageClassName: 'late',
    };
    await cluster.admin.create(PERSISTENT_VOLUMES, { metadata: { name: 'x' }, spec });
    await bindClaim('x');
    await cluster.clock.advance(1_000);
    expect(await nodeOf('p')).toBe('a');
  });
});

test('what is placed before it starts counts', async () => {
  await addNode('a', { cpu: '2' });
  await addNode('b', { cpu: '2' });
  await addPod('there', '2', { nodeName: 'a' });
  await addPod('p', '2');
  start();
  expect(await nodeOf('p')).toBe('b');
});

test('it ends when told to, and nothing keeps it', async () => {
  await addNode('a');
  const made = start();
  await addPod('p');
  await addPod('large', '9');
  await nodeOf('p');
  await messageOf('large');
  await made.stop();
  await addPod('late');
  await cluster.settle();
  expect((await get('late')).spec.nodeName).toBeUndefined();
});
