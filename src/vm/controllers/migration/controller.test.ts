import { describe, expect, it } from 'vitest';
import { VMIMS, VMIS } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';
import { migrationHarness, namespace } from './harness.fixture.ts';

const world = migrationHarness();
const MINUTE = 60_000;

describe('a migration', () => {
  it('moves an instance through all phases and cleans up', async () => {
    world.start();
    const source = await world.running('web');
    await world.migrate('move', 'web', { addedNodeSelector: { disk: 'fast' } });
    const pod = await world.target();
    expect(pod.spec.nodeSelector).toMatchObject({ disk: 'fast' });
    expect(pod.spec.affinity).toMatchObject({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: { matchLabels: { 'kubevirt.io/created-by': (await world.cluster.vmi('web')).metadata.uid } },
          },
        ],
      },
    });
    await world.reaches('move', 'Scheduling');
    await world.cluster.bind(pod, 'n2');
    await world.reaches('move', 'Scheduled');
    await world.cluster.podStatus(pod, { phase: 'Running' });
    await world.reaches('move', 'PreparingTarget');
    const announced = {
      sourceNode: 'n1',
      targetNode: 'n2',
      sourcePod: source.metadata.name,
      targetPod: pod.metadata.name,
    };
    expect(await world.state('web')).toMatchObject(announced);
    const reported = async () => (await world.vmim('move')).status?.migrationState;
    expect(await reported()).toMatchObject(announced);
    await world.agents.ready('web');
    await world.reaches('move', 'TargetReady');
    expect(await reported()).toMatchObject({ ...announced, targetNodeAddress: '10.0.0.2:49152' });
    await world.agents.begin('web');
    await world.reaches('move', 'Running');
    expect(await reported()).toEqual(await world.state('web'));
    await world.agents.succeed('web', pod, 'n2');
    await world.reaches('move', 'Succeeded');
    expect((await world.vmim('move')).status?.migrationState).toMatchObject({ ...announced, completed: true });
    expect((await world.vmim('move')).status?.phaseTransitionTimestamps?.map((each) => each.phase)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'PreparingTarget',
      'TargetReady',
      'Running',
      'Succeeded',
    ]);
    await world.cluster.until(async () =>
      (await world.cluster.pods()).some(
        ({ metadata }) => metadata.name === source.metadata.name && metadata.deletionTimestamp,
      ),
    );
    expect((await world.targets())[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(world.cluster.told).toEqual(
      expect.arrayContaining(['Normal SuccessfulCreate', 'Normal PreparingTarget', 'Normal SuccessfulMigration']),
    );
  });

  it('requested by a user is deleted with its instance, whether or not it ever started', async () => {
    world.start();
    await world.running('web');
    const { uid } = (await world.cluster.vmi('web')).metadata;
    await world.cluster.vmiStatus('web', { phase: 'Scheduled' });
    await world.migrate('move', 'web');
    await world.cluster.clock.advance(1000);
    const owners = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid }];
    expect(await world.targets()).toEqual([]);
    expect((await world.vmim('move')).metadata.ownerReferences).toEqual(owners);
    await world.cluster.vmiStatus('web', { phase: 'Running' });
    await world.target();
    expect((await world.vmim('move')).metadata.ownerReferences).toEqual(owners);
  });

  it('that fails leaves the VM on its node and deletes the target', async () => {
    world.start();
    const source = await world.running('web');
    const pod = await world.underway('move', 'web');
    await world.agents.fail('web', 'connection lost');
    await world.reaches('move', 'Failed');
    expect((await world.vmim('move')).status?.migrationState).toMatchObject({
      failed: true,
      failureReason: 'connection lost',
    });
    await world.cluster.until(async () => (await world.targets())[0]?.metadata.deletionTimestamp !== undefined);
    const left = (await world.cluster.pods()).find(({ metadata }) => metadata.name === source.metadata.name);
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(world.cluster.told).toContain('Warning FailedMigration');
    // The next migration starts without leftovers.
    await world.migrate('again', 'web');
    const second = await world.cluster.until(async () =>
      (await world.targets()).find(({ metadata }) => metadata.name !== pod.metadata.name),
    );
    await world.cluster.bind(second, 'n3');
    await world.cluster.podStatus(second, { phase: 'Running' });
    await world.reaches('again', 'PreparingTarget');
    expect(await world.state('web')).toEqual({
      migrationUid: (await world.vmim('again')).metadata.uid,
      sourceNode: 'n1',
      targetNode: 'n3',
      sourcePod: source.metadata.name,
      targetPod: second.metadata.name,
    });
  });

  it('fails if its target fits no node for five minutes', async () => {
    world.start();
    await world.running('web');
    await world.migrate('move', 'web');
    const pod = await world.target();
    const message = '0/3 nodes are available.';
    const stuck = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await world.cluster.podStatus(pod, { conditions: [stuck] });
    await world.cluster.clock.advance(4 * MINUTE);
    expect(await world.phase('move')).toBe('Scheduling');
    await world.cluster.clock.advance(MINUTE);
    expect(await world.phase('move')).toBe('Failed');
    expect((await world.vmim('move')).status?.migrationState?.failureReason).toContain(message);
    expect(await world.targets()).toEqual([]);
  });

  it('fails if the node of the target is never ready', async () => {
    world.start();
    await world.running('web');
    await world.migrate('move', 'web');
    const pod = await world.target();
    await world.cluster.bind(pod, 'n2');
    await world.cluster.podStatus(pod, { phase: 'Running' });
    await world.cluster.clock.advance(6 * MINUTE);
    expect(await world.phase('move')).toBe('Failed');
    expect(await world.state('web')).toMatchObject({ completed: true, failed: true });
  });

  it.each([
    [
      'does not exist',
      async () => {
        await world.running('web');
        await world.cluster.vmiStatus('web', { phase: 'Scheduled' });
        await world.admin.patch(
          VMIS,
          'web',
          { type: 'merge', body: { metadata: { finalizers: null } } },
          { namespace },
        );
        await world.migrate('move', 'web');
        await world.admin.delete(VMIS, 'web', { namespace });
      },
    ],
    [
      'cannot be migrated: DisksNotLiveMigratable',
      async () => {
        await world.running('web');
        const conditions = [
          { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'no' },
        ];
        await world.cluster.vmiStatus('web', { phase: 'Pending' });
        await world.migrate('move', 'web');
        await world.cluster.vmiStatus('web', { phase: 'Running', conditions });
      },
    ],
    [
      'is being deleted',
      async () => {
        await world.running('web');
        await world.admin.delete(VMIS, 'web', { namespace });
      },
    ],
  ])('of an instance that %s fails and reports that', async (why, prepare) => {
    world.start();
    await prepare();
    if (await world.isGone('move')) await world.migrate('move', 'web');
    await world.reaches('move', 'Failed');
    expect((await world.vmim('move')).status?.migrationState?.failureReason).toContain(why);
    expect(await world.targets()).toEqual([]);
  });

  it('waits for an instance that is not running yet', async () => {
    world.start();
    await world.running('web');
    await world.cluster.vmiStatus('web', { phase: 'Scheduled' });
    await world.migrate('move', 'web');
    await world.cluster.clock.advance(MINUTE);
    expect(await world.phase('move')).toBe('Pending');
    await world.cluster.vmiStatus('web', { phase: 'Running' });
    await world.target();
  });

  it('reports an exceeded quota and continues when it is not', async () => {
    let full = true;
    world.start({}, (client) => ({
      ...client,
      create: (type, ...rest) =>
        full && type.plural === 'pods'
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota: small'))
          : client.create(type, ...rest),
    }));
    await world.running('web');
    await world.migrate('move', 'web');
    await world.cluster.until(async () =>
      (await world.vmim('move')).status?.conditions?.some(({ type }) => type === 'MigrationRejectedByResourceQuota'),
    );
    full = false;
    await world.cluster.clock.advance(MINUTE);
    await world.target();
  });
});

describe('a migration that is deleted', () => {
  it('before it was announced is finished at once', async () => {
    world.start();
    await world.running('web');
    await world.migrate('move', 'web');
    await world.target();
    await world.admin.delete(VMIMS, 'move', { namespace });
    await world.cluster.until(() => world.isGone('move'));
    expect(await world.targets()).toEqual([]);
    expect(await world.state('web')).toBeUndefined();
  });

  it('before a node agent could start is canceled', async () => {
    world.start();
    await world.running('web');
    await world.prepareTarget('move', 'web');
    await world.admin.delete(VMIMS, 'move', { namespace });
    await world.cluster.until(() => world.isGone('move'));
    expect(await world.state('web')).toMatchObject({ completed: true, failed: true, abortStatus: 'Succeeded' });
  });

  it('while the VM migrates waits for the node agent', async () => {
    world.start();
    await world.running('web');
    await world.underway('move', 'web');
    await world.admin.delete(VMIMS, 'move', { namespace });
    await world.cluster.until(async () => (await world.state('web'))?.abortRequested === true);
    await world.cluster.clock.advance(MINUTE);
    expect(await world.isGone('move')).toBe(false);
    expect((await world.targets())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await world.agents.fail('web', 'the migration was aborted');
    await world.cluster.until(() => world.isGone('move'));
    expect((await world.targets())[0]?.metadata.deletionTimestamp).toBeDefined();
  });

  it('too late changes nothing: the VM has migrated', async () => {
    world.start();
    const source = await world.running('web');
    const pod = await world.underway('move', 'web');
    await world.admin.delete(VMIMS, 'move', { namespace });
    await world.agents.succeed('web', pod, 'n2');
    await world.cluster.clock.advance(1000);
    expect(await world.isGone('move')).toBe(true);
    const going = (await world.cluster.pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(going.map(({ metadata }) => metadata.name)).toEqual([source.metadata.name]);
  });
});
