import { describe, expect, it } from 'vitest';
import { VMIMS, VMIS } from '#api/kubevirt/resources';
import { KubeError } from '#platform/kube/kube-error';
import { migrationHarness, namespace } from './harness.fixture.ts';

const harness = migrationHarness();
const MINUTE = 60_000;

describe('a migration', () => {
  it('moves an instance through all phases and cleans up', async () => {
    harness.start();
    const source = await harness.running('web');
    await harness.migrate('move', 'web', { addedNodeSelector: { disk: 'fast' } });
    const pod = await harness.target();
    expect(pod.spec.nodeSelector).toMatchObject({ disk: 'fast' });
    expect(pod.spec.affinity).toMatchObject({
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: {
              matchLabels: { 'kubevirt.io/created-by': (await harness.cluster.vmi('web')).metadata.uid },
            },
          },
        ],
      },
    });
    await harness.reaches('move', 'Scheduling');
    await harness.cluster.bind(pod, 'n2');
    await harness.reaches('move', 'Scheduled');
    await harness.cluster.podStatus(pod, { phase: 'Running' });
    await harness.reaches('move', 'PreparingTarget');
    const announced = {
      sourceNode: 'n1',
      targetNode: 'n2',
      sourcePod: source.metadata.name,
      targetPod: pod.metadata.name,
    };
    expect(await harness.state('web')).toMatchObject(announced);
    const reported = async () => (await harness.vmim('move')).status?.migrationState;
    expect(await reported()).toMatchObject(announced);
    await harness.agents.ready('web');
    await harness.reaches('move', 'TargetReady');
    expect(await reported()).toMatchObject({ ...announced, targetNodeAddress: '10.0.0.2:49152' });
    await harness.agents.begin('web');
    await harness.reaches('move', 'Running');
    expect(await reported()).toEqual(await harness.state('web'));
    await harness.agents.succeed('web', pod, 'n2');
    await harness.reaches('move', 'Succeeded');
    expect((await harness.vmim('move')).status?.migrationState).toMatchObject({ ...announced, completed: true });
    expect((await harness.vmim('move')).status?.phaseTransitionTimestamps?.map((each) => each.phase)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'PreparingTarget',
      'TargetReady',
      'Running',
      'Succeeded',
    ]);
    await harness.cluster.until(async () =>
      (await harness.cluster.pods()).some(
        ({ metadata }) => metadata.name === source.metadata.name && metadata.deletionTimestamp,
      ),
    );
    expect((await harness.targets())[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(harness.cluster.told).toEqual(
      expect.arrayContaining(['Normal SuccessfulCreate', 'Normal PreparingTarget', 'Normal SuccessfulMigration']),
    );
  });

  it('requested by a user is deleted with its instance, whether or not it ever started', async () => {
    harness.start();
    await harness.running('web');
    const { uid } = (await harness.cluster.vmi('web')).metadata;
    await harness.cluster.vmiStatus('web', { phase: 'Scheduled' });
    await harness.migrate('move', 'web');
    await harness.cluster.clock.advance(1000);
    const owners = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid }];
    expect(await harness.targets()).toEqual([]);
    expect((await harness.vmim('move')).metadata.ownerReferences).toEqual(owners);
    await harness.cluster.vmiStatus('web', { phase: 'Running' });
    await harness.target();
    expect((await harness.vmim('move')).metadata.ownerReferences).toEqual(owners);
  });

  it('that fails leaves the VM on its node and deletes the target', async () => {
    harness.start();
    const source = await harness.running('web');
    const pod = await harness.underway('move', 'web');
    await harness.agents.fail('web', 'connection lost');
    await harness.reaches('move', 'Failed');
    expect((await harness.vmim('move')).status?.migrationState).toMatchObject({
      failed: true,
      failureReason: 'connection lost',
    });
    await harness.cluster.until(async () => (await harness.targets())[0]?.metadata.deletionTimestamp !== undefined);
    const left = (await harness.cluster.pods()).find(({ metadata }) => metadata.name === source.metadata.name);
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(harness.cluster.told).toContain('Warning FailedMigration');
    // The next migration starts without leftovers.
    await harness.migrate('again', 'web');
    const second = await harness.cluster.until(async () =>
      (await harness.targets()).find(({ metadata }) => metadata.name !== pod.metadata.name),
    );
    await harness.cluster.bind(second, 'n3');
    await harness.cluster.podStatus(second, { phase: 'Running' });
    await harness.reaches('again', 'PreparingTarget');
    expect(await harness.state('web')).toEqual({
      migrationUid: (await harness.vmim('again')).metadata.uid,
      sourceNode: 'n1',
      targetNode: 'n3',
      sourcePod: source.metadata.name,
      targetPod: second.metadata.name,
    });
  });

  it('fails if its target fits no node for five minutes', async () => {
    harness.start();
    await harness.running('web');
    await harness.migrate('move', 'web');
    const pod = await harness.target();
    const message = '0/3 nodes are available.';
    const stuck = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await harness.cluster.podStatus(pod, { conditions: [stuck] });
    await harness.cluster.clock.advance(4 * MINUTE);
    expect(await harness.phase('move')).toBe('Scheduling');
    await harness.cluster.clock.advance(MINUTE);
    expect(await harness.phase('move')).toBe('Failed');
    expect((await harness.vmim('move')).status?.migrationState?.failureReason).toContain(message);
    expect(await harness.targets()).toEqual([]);
  });

  it('fails if the node of the target is never ready', async () => {
    harness.start();
    await harness.running('web');
    await harness.migrate('move', 'web');
    const pod = await harness.target();
    await harness.cluster.bind(pod, 'n2');
    await harness.cluster.podStatus(pod, { phase: 'Running' });
    await harness.cluster.clock.advance(6 * MINUTE);
    expect(await harness.phase('move')).toBe('Failed');
    expect(await harness.state('web')).toMatchObject({ completed: true, failed: true });
  });

  it.each([
    [
      'does not exist',
      async () => {
        await harness.running('web');
        await harness.cluster.vmiStatus('web', { phase: 'Scheduled' });
        await harness.admin.patch(
          VMIS,
          'web',
          { type: 'merge', body: { metadata: { finalizers: null } } },
          { namespace },
        );
        await harness.migrate('move', 'web');
        await harness.admin.delete(VMIS, 'web', { namespace });
      },
    ],
    [
      'cannot be migrated: DisksNotLiveMigratable',
      async () => {
        await harness.running('web');
        const conditions = [
          { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'no' },
        ];
        await harness.cluster.vmiStatus('web', { phase: 'Pending' });
        await harness.migrate('move', 'web');
        await harness.cluster.vmiStatus('web', { phase: 'Running', conditions });
      },
    ],
    [
      'is being deleted',
      async () => {
        await harness.running('web');
        await harness.admin.delete(VMIS, 'web', { namespace });
      },
    ],
  ])('of an instance that %s fails and reports that', async (why, prepare) => {
    harness.start();
    await prepare();
    if (await harness.isGone('move')) await harness.migrate('move', 'web');
    await harness.reaches('move', 'Failed');
    expect((await harness.vmim('move')).status?.migrationState?.failureReason).toContain(why);
    expect(await harness.targets()).toEqual([]);
  });

  it('waits for an instance that is not running yet', async () => {
    harness.start();
    await harness.running('web');
    await harness.cluster.vmiStatus('web', { phase: 'Scheduled' });
    await harness.migrate('move', 'web');
    await harness.cluster.clock.advance(MINUTE);
    expect(await harness.phase('move')).toBe('Pending');
    await harness.cluster.vmiStatus('web', { phase: 'Running' });
    await harness.target();
  });

  it('reports an exceeded quota and continues when it is not', async () => {
    let full = true;
    harness.start({}, (client) => ({
      ...client,
      create: (type, ...rest) =>
        full && type.plural === 'pods'
          ? Promise.reject(new KubeError(403, 'Forbidden', 'exceeded quota: small'))
          : client.create(type, ...rest),
    }));
    await harness.running('web');
    await harness.migrate('move', 'web');
    await harness.cluster.until(async () =>
      (await harness.vmim('move')).status?.conditions?.some(({ type }) => type === 'MigrationRejectedByResourceQuota'),
    );
    full = false;
    await harness.cluster.clock.advance(MINUTE);
    await harness.target();
  });
});

describe('a migration that is deleted', () => {
  it('before it was announced is finished at once', async () => {
    harness.start();
    await harness.running('web');
    await harness.migrate('move', 'web');
    await harness.target();
    await harness.admin.delete(VMIMS, 'move', { namespace });
    await harness.cluster.until(() => harness.isGone('move'));
    expect(await harness.targets()).toEqual([]);
    expect(await harness.state('web')).toBeUndefined();
  });

  it('before a node agent could start is canceled', async () => {
    harness.start();
    await harness.running('web');
    await harness.prepareTarget('move', 'web');
    await harness.admin.delete(VMIMS, 'move', { namespace });
    await harness.cluster.until(() => harness.isGone('move'));
    expect(await harness.state('web')).toMatchObject({ completed: true, failed: true, abortStatus: 'Succeeded' });
  });

  it('while the VM migrates waits for the node agent', async () => {
    harness.start();
    await harness.running('web');
    await harness.underway('move', 'web');
    await harness.admin.delete(VMIMS, 'move', { namespace });
    await harness.cluster.until(async () => (await harness.state('web'))?.abortRequested === true);
    await harness.cluster.clock.advance(MINUTE);
    expect(await harness.isGone('move')).toBe(false);
    expect((await harness.targets())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await harness.agents.fail('web', 'the migration was aborted');
    await harness.cluster.until(() => harness.isGone('move'));
    expect((await harness.targets())[0]?.metadata.deletionTimestamp).toBeDefined();
  });

  it('too late changes nothing: the VM has migrated', async () => {
    harness.start();
    const source = await harness.running('web');
    const pod = await harness.underway('move', 'web');
    await harness.admin.delete(VMIMS, 'move', { namespace });
    await harness.agents.succeed('web', pod, 'n2');
    await harness.cluster.clock.advance(1000);
    expect(await harness.isGone('move')).toBe(true);
    const going = (await harness.cluster.pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(going.map(({ metadata }) => metadata.name)).toEqual([source.metadata.name]);
  });
});
