import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTANCE_FINALIZER } from '../../api/instance-request.ts';
import type { Client } from '../../kube/client.ts';
import { VMIMS, VMIS, type Vmim } from '../../kube/kinds/machines.ts';
import { PODS, type Pod } from '../../kube/kinds/pod.ts';
import { isNotFound, KubeError } from '../../kube/kube-error.ts';
import { timestamp } from '../../kube/timestamp.ts';
import { launcherPod } from '../../machine/launcher/pod.ts';
import { LAUNCHER_SETTINGS } from '../../machine/launcher/settings.ts';
import { runnable } from '../../runtime/controller.ts';
import { type MachineCluster, startMachineCluster } from '../../testing/machine-cluster.ts';
import { migrations } from './controller.ts';
import { evacuations } from './evacuation.ts';
import { MIGRATION_RULES } from './rules.ts';

const namespace = 'default';
const MINUTE = 60_000;

let cluster: MachineCluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startMachineCluster(MIGRATION_RULES);
  ({ admin } = cluster);
  for (const node of ['n1', 'n2', 'n3']) await cluster.makeNode(node);
});
afterEach(() => cluster.stop());

const start = (settings = {}, wrap?: (client: Client) => Client) =>
  cluster.operate((parts) => [runnable(migrations(settings), parts), runnable(evacuations(settings), parts)], wrap);

/** An instance that runs, as its controller and its agent leave it. */
async function running(name: string, node = 'n1', spec: object = {}): Promise<Pod> {
  const vmi = await admin.create(VMIS, {
    metadata: { name, namespace, finalizers: [INSTANCE_FINALIZER] },
    spec: { domain: { memory: { guest: '1Gi' }, devices: {} }, ...spec },
  });
  const pod = await admin.create(
    PODS,
    launcherPod(vmi, LAUNCHER_SETTINGS, () => undefined),
  );
  await cluster.bind(pod, node);
  await cluster.runs(name, pod, node);
  return pod;
}

const migrate = (name: string, vmiName: string, spec: object = {}) =>
  admin.create(VMIMS, { metadata: { name, namespace }, spec: { vmiName, ...spec } });
const vmim = (name: string): Promise<Vmim> => admin.get(VMIMS, name, { namespace });
const phase = async (name: string) => (await vmim(name)).status?.phase;
const reaches = (name: string, wanted: string) => cluster.until(async () => (await phase(name)) === wanted);
const state = async (name: string) => (await cluster.vmi(name)).status?.migrationState;
const targets = async () =>
  (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['kubevirt.io/migrationJobUID'] !== undefined);
const target = () => cluster.until(async () => (await targets())[0]);
const isGone = (name: string) => vmim(name).then(() => false, isNotFound);
const now = () => timestamp(cluster.clock.now());

/** What the agents of both nodes do, up to the end. */
const agents = {
  async ready(name: string) {
    await cluster.vmiStatus(name, { migrationState: { targetNodeAddress: '10.0.0.2:49152' } });
  },
  async begin(name: string) {
    await cluster.vmiStatus(name, { migrationState: { startTimestamp: now() } });
  },
  async succeed(name: string, pod: Pod, node: string) {
    const old = Object.keys((await cluster.vmi(name)).status?.activePods ?? {});
    await cluster.vmiStatus(name, {
      nodeName: node,
      activePods: { ...Object.fromEntries(old.map((uid) => [uid, null])), [pod.metadata.uid ?? '']: node },
      migrationState: { completed: true, endTimestamp: now() },
    });
  },
  async fail(name: string, failureReason: string) {
    await cluster.vmiStatus(name, {
      migrationState: { completed: true, failed: true, failureReason, endTimestamp: now() },
    });
  },
};

describe('a migration', () => {
  it('moves an instance through all phases and clears up', async () => {
    start();
    const source = await running('web');
    await migrate('move', 'web', { addedNodeSelector: { disk: 'fast' } });
    const pod = await target();
    expect(pod.spec.nodeSelector).toMatchObject({ disk: 'fast' });
    expect(pod.spec.affinity).toMatchObject({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { 'kubevirt.io/created-by': (await cluster.vmi('web')).metadata.uid } } },
        ],
      },
    });
    await reaches('move', 'Scheduling');
    await cluster.bind(pod, 'n2');
    await reaches('move', 'Scheduled');
    await cluster.podStatus(pod, { phase: 'Running' });
    await reaches('move', 'PreparingTarget');
    const announced = {
      sourceNode: 'n1',
      targetNode: 'n2',
      sourcePod: source.metadata.name,
      targetPod: pod.metadata.name,
    };
    expect(await state('web')).toMatchObject(announced);
    await agents.ready('web');
    await reaches('move', 'TargetReady');
    await agents.begin('web');
    await reaches('move', 'Running');
    await agents.succeed('web', pod, 'n2');
    await reaches('move', 'Succeeded');
    expect((await vmim('move')).status?.migrationState).toMatchObject({ ...announced, completed: true });
    expect((await vmim('move')).status?.phaseTransitionTimestamps?.map((each) => each.phase)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'PreparingTarget',
      'TargetReady',
      'Running',
      'Succeeded',
    ]);
    await cluster.until(async () =>
      (await cluster.pods()).some(
        ({ metadata }) => metadata.name === source.metadata.name && metadata.deletionTimestamp,
      ),
    );
    expect((await targets())[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.told).toEqual(
      expect.arrayContaining(['Normal SuccessfulCreate', 'Normal PreparingTarget', 'Normal SuccessfulMigration']),
    );
  });

  it('that fails leaves the machine where it is and removes the target', async () => {
    start();
    const source = await running('web');
    await migrate('move', 'web');
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await reaches('move', 'PreparingTarget');
    await agents.ready('web');
    await agents.begin('web');
    await agents.fail('web', 'connection lost');
    await reaches('move', 'Failed');
    expect((await vmim('move')).status?.migrationState).toMatchObject({
      failed: true,
      failureReason: 'connection lost',
    });
    await cluster.until(async () => (await targets())[0]?.metadata.deletionTimestamp !== undefined);
    const left = (await cluster.pods()).find(({ metadata }) => metadata.name === source.metadata.name);
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.told).toContain('Warning FailedMigration');
    // The next one starts afresh.
    await migrate('again', 'web');
    const second = await cluster.until(async () =>
      (await targets()).find(({ metadata }) => metadata.name !== pod.metadata.name),
    );
    await cluster.bind(second, 'n3');
    await cluster.podStatus(second, { phase: 'Running' });
    await reaches('again', 'PreparingTarget');
    expect(await state('web')).toEqual({
      migrationUid: (await vmim('again')).metadata.uid,
      sourceNode: 'n1',
      targetNode: 'n3',
      sourcePod: source.metadata.name,
      targetPod: second.metadata.name,
    });
  });

  it('fails where its target fits nowhere for five minutes', async () => {
    start();
    await running('web');
    await migrate('move', 'web');
    const pod = await target();
    const message = '0/3 nodes are available.';
    const stuck = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await cluster.podStatus(pod, { conditions: [stuck] });
    await cluster.clock.advance(4 * MINUTE);
    expect(await phase('move')).toBe('Scheduling');
    await cluster.clock.advance(MINUTE);
    expect(await phase('move')).toBe('Failed');
    expect((await vmim('move')).status?.migrationState?.failureReason).toContain(message);
    expect(await targets()).toEqual([]);
  });

  it('fails where the node of the target never gets ready', async () => {
    start();
    await running('web');
    await migrate('move', 'web');
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await cluster.clock.advance(6 * MINUTE);
    expect(await phase('move')).toBe('Failed');
    expect(await state('web')).toMatchObject({ completed: true, failed: true });
  });

  it.each([
    ['does not exist', async () => {}],
    [
      'cannot be migrated: DisksNotLiveMigratable',
      async () => {
        await running('web');
        const conditions = [
          { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'no' },
        ];
        await cluster.vmiStatus('web', { phase: 'Pending' });
        await migrate('move', 'web');
        await cluster.vmiStatus('web', { phase: 'Running', conditions });
      },
    ],
    [
      'is being deleted',
      async () => {
        await running('web');
        await admin.delete(VMIS, 'web', { namespace });
      },
    ],
  ])('of an instance that %s fails and says so', async (why, prepare) => {
    start();
    await prepare();
    if (await isGone('move')) await migrate('move', 'web');
    await reaches('move', 'Failed');
    expect((await vmim('move')).status?.migrationState?.failureReason).toContain(why);
    expect(await targets()).toEqual([]);
  });

  it('waits for an instance that does not run yet', async () => {
    start();
    await running('web');
    await cluster.vmiStatus('web', { phase: 'Scheduled' });
    await migrate('move', 'web');
    await cluster.clock.advance(MINUTE);
    expect(await phase('move')).toBe('Pending');
    await cluster.vmiStatus('web', { phase: 'Running' });
    await target();
  });

  it('says that a quota is in the way and goes on when it is not', async () => {
    let full = true;
    start({}, (client) => ({
      ...client,
      create: (type, ...rest) =>
        full && type.plural === 'pods'
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota: small'))
          : client.create(type, ...rest),
    }));
    await running('web');
    await migrate('move', 'web');
    await cluster.until(async () =>
      (await vmim('move')).status?.conditions?.some(({ type }) => type === 'MigrationRejectedByResourceQuota'),
    );
    full = false;
    await cluster.clock.advance(MINUTE);
    await target();
  });
});

describe('a migration that is deleted', () => {
  it('before it was announced is over at once', async () => {
    start();
    await running('web');
    await migrate('move', 'web');
    await target();
    await admin.delete(VMIMS, 'move', { namespace });
    await cluster.until(() => isGone('move'));
    expect(await targets()).toEqual([]);
    expect(await state('web')).toBeUndefined();
  });

  it('before an agent could begin is called off', async () => {
    start();
    await running('web');
    await migrate('move', 'web');
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await reaches('move', 'PreparingTarget');
    await admin.delete(VMIMS, 'move', { namespace });
    await cluster.until(() => isGone('move'));
    expect(await state('web')).toMatchObject({ completed: true, failed: true, abortStatus: 'Succeeded' });
  });

  it('while the machine moves waits for the word of the agent', async () => {
    start();
    await running('web');
    await migrate('move', 'web');
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await reaches('move', 'PreparingTarget');
    await agents.ready('web');
    await agents.begin('web');
    await admin.delete(VMIMS, 'move', { namespace });
    await cluster.until(async () => (await state('web'))?.abortRequested === true);
    await cluster.clock.advance(MINUTE);
    expect(await isGone('move')).toBe(false);
    expect((await targets())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await agents.fail('web', 'the migration was aborted');
    await cluster.until(() => isGone('move'));
    expect((await targets())[0]?.metadata.deletionTimestamp).toBeDefined();
  });

  it('too late changes nothing: the machine has moved', async () => {
    start();
    const source = await running('web');
    await migrate('move', 'web');
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await reaches('move', 'PreparingTarget');
    await agents.ready('web');
    await agents.begin('web');
    await admin.delete(VMIMS, 'move', { namespace });
    await agents.succeed('web', pod, 'n2');
    await cluster.clock.advance(1000);
    expect(await isGone('move')).toBe(true);
    const going = (await cluster.pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(going.map(({ metadata }) => metadata.name)).toEqual([source.metadata.name]);
  });
});

describe('the limits of migrations', () => {
  it('let five move at once and two leave a node, the oldest first, and go on when there is room', async () => {
    start();
    await cluster.makeNode('n4');
    for (let i = 0; i < 12; i++) await running(`m${i}`, `n${1 + (i % 4)}`);
    for (let i = 0; i < 12; i++) {
      await migrate(`move-${i}`, `m${i}`);
      await cluster.clock.advance(1000);
    }
    await cluster.settle();
    const moved = async () => {
      const names = (await targets()).map(({ metadata }) => Number(metadata.labels?.['vm']?.slice(1)));
      return names.sort((a, b) => a - b);
    };
    expect(await moved()).toEqual([0, 1, 2, 3, 4]);
    for (const pod of await targets()) {
      await cluster.bind(pod, 'n9');
      await cluster.podStatus(pod, { phase: 'Running' });
    }
    await reaches('move-0', 'PreparingTarget');
    await agents.fail('m0', 'no');
    await reaches('move-0', 'Failed');
    await cluster.until(async () => (await moved()).includes(5));
    expect((await moved()).filter((i) => i > 5)).toEqual([]);
  });

  it('let two leave a node and others pass by', async () => {
    start();
    for (let i = 0; i < 3; i++) await running(`a${i}`, 'n1');
    await running('b', 'n2');
    for (const name of ['a0', 'a1', 'a2', 'b']) {
      await migrate(`move-${name}`, name);
      await cluster.clock.advance(1000);
    }
    await cluster.settle();
    const names = (await targets())
      .map(({ metadata }) => metadata.labels?.['vm'] ?? '')
      .toSorted((a, b) => a.localeCompare(b));
    expect(names).toEqual(['a0', 'a1', 'b']);
  });

  it('hold though caches lag behind', async () => {
    start({}, (client) => ({
      ...client,
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.plural === 'virtualmachineinstancemigrations') await cluster.clock.sleep(200);
          yield event;
        }
      },
    }));
    for (let i = 0; i < 8; i++) await running(`m${i}`, `x${i}`);
    for (let i = 0; i < 8; i++) await migrate(`move-${i}`, `m${i}`);
    await cluster.clock.advance(20_000);
    expect(await targets()).toHaveLength(5);
  });

  it('keep one migration of an instance at a time, and five that are over', async () => {
    start();
    await running('web');
    for (let i = 0; i < 8; i++) {
      await migrate(`move-${i}`, 'web');
      await cluster.clock.advance(1000);
    }
    for (let i = 0; i < 8; i++) {
      await cluster.settle();
      const [pod, ...others] = (await targets()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(others).toEqual([]);
      await admin.delete(PODS, pod?.metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
      await reaches(`move-${i}`, 'Failed');
    }
    await cluster.settle();
    const names = (await admin.list(VMIMS, { namespace })).items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['move-3', 'move-4', 'move-5', 'move-6', 'move-7']);
  });
});

describe('an evacuation', () => {
  const all = async () => (await admin.list(VMIMS, { namespace })).items;
  const movable = { evictionStrategy: 'LiveMigrate' };

  it('moves an instance that has to leave its node, once', async () => {
    start();
    await running('web', 'n1', movable);
    await cluster.vmiStatus('web', { evacuationNodeName: 'n1' });
    const [move] = await cluster.until(async () => ((await all()).length > 0 ? await all() : undefined));
    expect(move?.metadata).toMatchObject({
      generateName: 'kubevirt-evacuation-',
      labels: { 'kubevirt.io/evacuationMigration': 'n1' },
    });
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await cluster.until(async () => (await state('web'))?.targetNode === 'n2');
    await agents.ready('web');
    await agents.begin('web');
    await agents.succeed('web', pod, 'n2');
    await cluster.until(async () => (await cluster.vmi('web')).status?.evacuationNodeName === undefined);
    await cluster.clock.advance(MINUTE);
    expect(await all()).toHaveLength(1);
  });

  it('is tried again ever later after failures', async () => {
    start();
    await running('web', 'n1', movable);
    await cluster.vmiStatus('web', { evacuationNodeName: 'n1' });
    const tries: number[] = [];
    const seen = new Set<string>();
    for (let second = 0; second < 200; second++) {
      for (const { metadata } of await all()) {
        if (!seen.has(metadata.uid)) tries.push(second);
        seen.add(metadata.uid);
      }
      for (const { metadata } of await targets()) {
        await admin.delete(PODS, metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
      }
      await cluster.clock.advance(1000);
    }
    const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
    expect(waits).toHaveLength(3);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(20 * 2 ** i);
      expect(wait).toBeLessThanOrEqual(20 * 2 ** i + 4);
    }
  });

  it('of a drained node moves all that can move, two at a time', async () => {
    start();
    for (const name of ['a', 'b', 'c']) await running(name, 'n1', movable);
    await running('stays', 'n1', { evictionStrategy: 'None' });
    await running('elsewhere', 'n2', movable);
    const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }];
    await admin.patch({ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }, 'n1', {
      type: 'merge',
      body: { spec: { taints } },
    });
    await cluster.until(async () => (await all()).length === 2);
    await cluster.clock.advance(MINUTE);
    expect(await all()).toHaveLength(2);
    const [first] = await all();
    const vmi = first?.spec.vmiName ?? '';
    const pod = (await targets()).find(({ metadata }) => metadata.labels?.['vm'] === vmi) as Pod;
    await cluster.bind(pod, 'n3');
    await cluster.podStatus(pod, { phase: 'Running' });
    await cluster.until(async () => (await state(vmi))?.targetNode === 'n3');
    await agents.ready(vmi);
    await agents.begin(vmi);
    await agents.succeed(vmi, pod, 'n3');
    await cluster.until(async () => (await all()).length === 3);
    expect((await all()).map(({ spec }) => spec.vmiName).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});
