import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { LEASES, NODES, type Node, type Taint, tolerates } from '#platform/kube/kinds/node';
import { PODS, type Toleration } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { manager } from '#platform/runtime/manager';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { AssumedHealth } from './node-health.ts';
import { nodeLifecycle } from './node-lifecycle.ts';
import { desiredTaints, unknownConditions } from './node-plan.ts';
import { minTolerationTime, taintEviction } from './taint-eviction.ts';

const node = (conditions: object[], spec: object = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', creationTimestamp: 'made' },
  spec,
  status: { conditions: conditions as never },
});
const condition = (type: string, status: string) => ({
  type,
  status,
  lastHeartbeatTime: 'beat',
  lastTransitionTime: 'then',
});

describe('a node without heartbeats', () => {
  it('has Unknown conditions, and keeps those that it does not report itself', () => {
    const conditions = unknownConditions(
      node([condition('Ready', 'True'), condition('NetworkUnavailable', 'False')]),
      'now',
    );
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason ?? ''}`)).toEqual([
      'Ready Unknown NodeStatusUnknown',
      'NetworkUnavailable False ',
      'MemoryPressure Unknown NodeStatusNeverUpdated',
      'DiskPressure Unknown NodeStatusNeverUpdated',
      'PIDPressure Unknown NodeStatusNeverUpdated',
    ]);
    expect(conditions[0]).toMatchObject({ lastHeartbeatTime: 'beat', lastTransitionTime: 'now' });
  });
});

describe('the taints of a node', () => {
  const own: Taint = { key: 'mine', effect: 'NoExecute' };
  const taints = (conditions: object[], spec: object = {}) =>
    desiredTaints(node(conditions, spec), 'now')?.map(({ key, effect }) => `${key}:${effect}`);
  it.each<[string, string[] | undefined, string[] | undefined]>([
    ['that is ready are empty', taints([condition('Ready', 'True')]), undefined],
    [
      'that is not ready are NoSchedule and NoExecute',
      taints([condition('Ready', 'False')]),
      ['node.kubernetes.io/not-ready:NoSchedule', 'node.kubernetes.io/not-ready:NoExecute'],
    ],
    [
      'that becomes unreachable replace those for not ready',
      taints([condition('Ready', 'Unknown')], {
        taints: [own, { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }],
      }),
      ['mine:NoExecute', 'node.kubernetes.io/unreachable:NoSchedule', 'node.kubernetes.io/unreachable:NoExecute'],
    ],
    [
      'under pressure are NoSchedule',
      taints([condition('DiskPressure', 'True')]),
      ['node.kubernetes.io/disk-pressure:NoSchedule'],
    ],
    [
      'that is cordoned are NoSchedule',
      taints([], { unschedulable: true }),
      ['node.kubernetes.io/unschedulable:NoSchedule'],
    ],
    [
      'that recovered are removed, except those of others',
      taints([condition('Ready', 'True')], {
        taints: [own, { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }],
      }),
      ['mine:NoExecute'],
    ],
    [
      'are unchanged if they are correct',
      taints([], { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }),
      undefined,
    ],
  ])('%s', (_what, found, desired) => {
    expect(found).toEqual(desired);
  });
});

describe('the toleration time of a pod', () => {
  const taint: Taint = { key: 'k', value: 'v', effect: 'NoExecute' };
  it.each<[Toleration[], Taint[], number]>([
    [[], [taint], 0],
    [[{ operator: 'Exists' }], [taint], Number.POSITIVE_INFINITY],
    [[{ key: 'k', operator: 'Exists', tolerationSeconds: 300 }], [taint], 300],
    [
      [
        { key: 'k', value: 'v', tolerationSeconds: 300 },
        { operator: 'Exists', tolerationSeconds: 60 },
      ],
      [taint],
      60,
    ],
    [[{ key: 'k', value: 'v', effect: 'NoExecute' }], [taint, { key: 'other', effect: 'NoExecute' }], 0],
    [[{ key: 'k', value: 'v', tolerationSeconds: -5 }], [taint], 0],
    [[{ key: 'k', value: 'w' }], [taint], 0],
    [[{ key: 'k', value: 'v', effect: 'NoSchedule' }], [taint], 0],
  ])('with %j is computed for %j', (tolerations, taints, seconds) => {
    expect(minTolerationTime(tolerations, taints)).toBe(seconds);
  });

  it('is zero for a toleration with a value but no key', () => {
    expect(tolerates({ value: 'v' }, taint)).toBe(false);
  });
});

let cluster: Cluster;
let admin: Client;
const reported: string[] = [];
const events: EventRecorder = {
  event: ({ metadata }, _type, reason, message) => void reported.push(`${metadata.name} ${reason}: ${message}`),
};
beforeEach(async () => {
  reported.length = 0;
  cluster = await startCluster();
  ({ admin } = cluster);
  const parts = controllerDeps(cluster, 'node-controller');
  const controllers = [runnable(nodeLifecycle(), { ...parts, events }), runnable(taintEviction(), parts)];
  cluster.run(manager('test', [parts.informers, ...controllers]));
});
afterEach(() => cluster.stop());

const namespace = 'default';
const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
const setReady = (name: string, status: string) =>
  admin.patch(
    NODES,
    name,
    { type: 'strategic', body: { status: { conditions: [{ ...ready, status }] } } },
    { subresource: 'status' },
  );
async function makeNode(name: string): Promise<void> {
  await admin.create(NODES, { metadata: { name } });
  await setReady(name, 'True');
  const place = { name, namespace: 'kube-node-lease' };
  await admin.create(LEASES, { metadata: place, spec: { renewTime: renewTime(), holderIdentity: name } });
}
const renewTime = () => new Date(cluster.clock.now()).toISOString().replace('Z', '000Z');
const renew = (name: string) =>
  admin.patch(
    LEASES,
    name,
    { type: 'merge', body: { spec: { renewTime: renewTime() } } },
    { namespace: 'kube-node-lease' },
  );
const readiness = async (name: string) =>
  (await admin.get(NODES, name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const taintsOf = async (name: string) =>
  ((await admin.get(NODES, name)).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
async function makePod(name: string, tolerations: Toleration[] = []): Promise<void> {
  const containers = [{ name: 'main', image: 'registry.example.com/app:1' }];
  await admin.create(PODS, { metadata: { name, namespace }, spec: { nodeName: 'n', containers, tolerations } });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await admin.patch(PODS, name, { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
}
const isEnding = async (name: string) => {
  try {
    return (await admin.get(PODS, name, { namespace })).metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
};
const ofReadiness = (tolerationSeconds: number): Toleration[] =>
  ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));

describe('a node', () => {
  it('that renews its lease stays ready', async () => {
    await makeNode('n');
    for (let i = 0; i < 10; i++) {
      await cluster.clock.advance(10_000);
      await renew('n');
    }
    expect(await readiness('n')).toBe('True');
    expect(await taintsOf('n')).toEqual([]);
  });

  it('that stops sending heartbeats is not ready, until it sends one', async () => {
    await makeNode('n');
    await makePod('p', ofReadiness(300));
    await cluster.settle();
    await cluster.clock.advance(39_000);
    expect(await readiness('n')).toBe('True');
    await cluster.clock.advance(2_000);
    await cluster.until(async () => (await readiness('n')) === 'Unknown');
    await cluster.until(async () => (await taintsOf('n')).length === 2);
    expect(await taintsOf('n')).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    await cluster.until(async () => {
      const { status } = await admin.get(PODS, 'p', { namespace });
      return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'False';
    });
    await renew('n');
    await setReady('n', 'True');
    await cluster.until(async () => (await taintsOf('n')).length === 0);
    for (let i = 0; i < 40; i++) {
      await cluster.clock.advance(10_000);
      await renew('n');
    }
    expect(await isEnding('p')).toBe(false);
  });

  it('is reported when it stops responding and when it is deleted', async () => {
    await makeNode('n');
    await cluster.settle();
    await cluster.clock.advance(41_000);
    await cluster.until(async () => (await readiness('n')) === 'Unknown');
    await cluster.clock.advance(100_000);
    expect(reported).toEqual(['n NodeNotReady: Node n status is now: NodeNotReady']);
    await admin.delete(NODES, 'n');
    await cluster.until(() => reported.length === 2);
    expect(reported[1]).toBe('n RemovingNode: Node n event: Removing Node n from Controller');
  });

  it('that stays unreachable loses its pods when their toleration time ends', async () => {
    await makeNode('n');
    await makePod('patient', [{ operator: 'Exists' }]);
    await makePod('usual', ofReadiness(300));
    await makePod('hasty', ofReadiness(0));
    await cluster.clock.advance(41_000);
    await cluster.until(() => isEnding('hasty'));
    expect(await isEnding('usual')).toBe(false);
    await cluster.clock.advance(290_000);
    expect(await isEnding('usual')).toBe(false);
    await cluster.clock.advance(15_000);
    expect(await isEnding('usual')).toBe(true);
    await cluster.clock.advance(3_600_000);
    expect(await isEnding('patient')).toBe(false);
  });

  it('keeps its pods after a restore until all nodes have reported what they run', async () => {
    await makeNode('n');
    const restored = (annotations: object) =>
      admin.patch(NODES, 'other', { type: 'merge', body: { metadata: { annotations } } });
    await makeNode('other');
    await restored({ 'vimana.io/restore': 'the-restore' });
    await makePod('hasty', ofReadiness(0));
    for (let i = 0; i < 40; i++) {
      await cluster.clock.advance(10_000);
      await renew('other');
    }
    expect(await readiness('n')).toBe('True');
    expect(await taintsOf('n')).toEqual([]);
    const taints = [{ key: 'example.com/out', effect: 'NoExecute' }];
    await admin.patch(NODES, 'n', { type: 'merge', body: { spec: { taints } } });
    await cluster.clock.advance(60_000);
    expect(await isEnding('hasty')).toBe(false);
    await restored({ 'vimana.io/restore-machines': '{"restore":"the-restore","machines":[]}' });
    await cluster.clock.advance(20_000);
    await cluster.until(() => isEnding('hasty'));
    expect(await readiness('n')).toBe('Unknown');
  });

  it('that a user taints loses the pods without a toleration, with an event', async () => {
    await makeNode('n');
    await admin.create(PODS, {
      metadata: { name: 'held', namespace, finalizers: ['example.com/held'] },
      spec: { nodeName: 'n', containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
    });
    await cluster.settle();
    const taints = [{ key: 'example.com/out', effect: 'NoExecute' }];
    await admin.patch(NODES, 'n', { type: 'merge', body: { spec: { taints } } });
    await cluster.until(() => isEnding('held'));
    const { status } = await admin.get(PODS, 'held', { namespace });
    expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
    });
  });
});

const isFrozen = ({ metadata }: Node) => metadata.annotations?.['vimana.io/freeze'] === 'true';

describe('a node that is assumed to be healthy', () => {
  it('becomes not ready only if it is frozen', async () => {
    const own = await startCluster();
    try {
      const parts = controllerDeps(own, 'node-controller');
      own.run(manager('test', [parts.informers, runnable(nodeLifecycle(new AssumedHealth(isFrozen)), parts)]));
      const readiness = async (name: string) =>
        (await own.admin.get(NODES, name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
      for (const name of ['a', 'b']) {
        await own.admin.create(NODES, { metadata: { name }, status: { conditions: [{ ...ready }] } });
      }
      await own.clock.advance(600_000);
      const body = { metadata: { annotations: { 'vimana.io/freeze': 'true' } } };
      await own.admin.patch(NODES, 'a', { type: 'merge', body });
      await own.clock.advance(39_000);
      expect([await readiness('a'), await readiness('b')]).toEqual(['True', 'True']);
      await own.clock.advance(2_000);
      expect([await readiness('a'), await readiness('b')]).toEqual(['Unknown', 'True']);
    } finally {
      await own.stop();
    }
  });

  const seen = (frozen: boolean): Node => ({
    ...node([]),
    metadata: { name: 'n', ...(frozen ? { annotations: { 'vimana.io/freeze': 'true' } } : {}) },
  });

  it('sends no heartbeats from freeze to unfreeze', () => {
    const health = new AssumedHealth(isFrozen);
    health.noticeNode(seen(false), 0);
    expect(health.lastSeen('n')).toBe(Number.POSITIVE_INFINITY);
    health.noticeNode(seen(true), 10);
    health.noticeNode(seen(true), 20);
    expect(health.lastSeen('n')).toBe(10);
    health.noticeNode(seen(false), 30);
    expect(health.lastSeen('n')).toBe(Number.POSITIVE_INFINITY);
  });
});
