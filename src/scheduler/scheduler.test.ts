import { afterEach, beforeEach, expect, test } from 'vitest';
import { conditionOf } from '../kube/kinds/condition.ts';
import { NODES, type Taint } from '../kube/kinds/node.ts';
import { PODS, type Pod } from '../kube/kinds/pod.ts';
import { Informers } from '../runtime/informers.ts';
import { manager } from '../runtime/manager.ts';
import { type Cluster, startCluster } from '../testing/cluster.ts';
import { type Scheduler, scheduler } from './scheduler.ts';

let cluster: Cluster;
let said: string[];

beforeEach(async () => {
  cluster = await startCluster();
  said = [];
});
afterEach(() => cluster.stop());

function start(): Scheduler {
  const { clock, random, log } = cluster;
  const client = cluster.clientFor({ name: 'system:kube-scheduler', groups: ['system:authenticated'] });
  const informers = new Informers({ clock, random, log, client });
  const events = {
    event: (_object: object, type: string, reason: string, message: string) =>
      void said.push(`${type} ${reason}: ${message}`),
  };
  const made = scheduler({ client, informers, clock, random, log, events });
  cluster.run(manager('scheduler', [informers, made]));
  return made;
}

async function addNode(name: string, { cpu = '4', labels = {}, taints = [] as readonly Taint[] } = {}): Promise<void> {
  const made = await cluster.admin.create(NODES, {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints },
    status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, capacity: { cpu, memory: '8Gi', pods: '10' } },
  });
  // The server holds new nodes back until somebody says that they are ready.
  await cluster.admin.update(NODES, { ...made, spec: { taints } });
}

async function addPod(name: string, cpu = '1', spec: object = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
  await cluster.admin.create(PODS, {
    metadata: { name, namespace: 'default' },
    spec: { containers, ...spec },
  });
}

const get = (name: string): Promise<Pod> => cluster.admin.get(PODS, name, { namespace: 'default' });
const nodeOf = (name: string) =>
  cluster.until(async () => ((await get(name)).spec.nodeName ?? '') !== '' && (await get(name)).spec.nodeName);

test('a pod gets the node that has room for it, and hears of it', async () => {
  await addNode('small', { cpu: '1' });
  await addNode('large', { cpu: '8' });
  const made = start();
  await addPod('p', '2');
  expect(await nodeOf('p')).toBe('large');
  expect(conditionOf((await get('p')).status?.conditions, 'PodScheduled')?.status).toBe('True');
  await cluster.until(() => said.length > 0);
  expect(said).toEqual(['Normal Scheduled: Successfully assigned default/p to large']);
  const [explained] = made.explanationOf('default', 'p');
  expect(explained?.node).toBe('large');
  expect(explained?.nodes).toContainEqual({
    name: 'small',
    suits: false,
    refusedBy: 'NodeResourcesFit',
    reasons: ['Insufficient cpu'],
  });
});

test('a pod that fits nowhere says why, and is placed when a node comes', async () => {
  await addNode('a', { cpu: '1' });
  await addNode('b', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] });
  start();
  await addPod('p', '2');
  const message = '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).';
  await cluster.until(async () =>
    (conditionOf((await get('p')).status?.conditions, 'PodScheduled')?.message ?? '').startsWith(message),
  );
  expect(said[0]).toContain(message);
  await addNode('c');
  expect(await nodeOf('p')).toBe('c');
});
