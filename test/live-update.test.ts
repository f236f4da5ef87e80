import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { type SoakHarness, startSoakHarness } from '#testing/soak/soak-harness';

const namespace = 'default';
/** The guest uses its memory, so that a migration takes some seconds. */
const BUSY = { 'vimana.io/memory-utilization': '1', 'vimana.io/dirty-rate': '1G' };

describe('a VM that is resized while it runs', () => {
  let world: SoakHarness;
  beforeEach(async () => {
    world = await startSoakHarness('live update');
    await world.clock.advance(5000);
    await make('web');
  });
  afterEach(() => world.stop());

  const make = async (name: string, spec: object = {}, devices: object = {}) => {
    const domain = { cpu: { sockets: 1 }, memory: { guest: '1Gi' }, devices };
    await world.admin.create(VMS, {
      metadata: { name, namespace },
      spec: { runStrategy: 'Always', template: { metadata: { annotations: BUSY }, spec: { domain, ...spec } } },
    });
    await world.clock.advance(5000);
  };

  /** A scheduler that has not received a cordon yet would still choose the node. */
  const everybodyToKnow = () => world.clock.advance(1000);
  const instance = () => world.admin.get(VMIS, 'web', { namespace });
  const condition = async (type: string) => (await instance()).status?.conditions?.find((each) => each.type === type);
  const launchers = async () =>
    (await world.admin.list(PODS, { namespace })).items.map(({ spec, status, metadata }) => ({
      name: metadata.name,
      node: spec.nodeName,
      phase: status?.phase,
      requests: spec.containers[0]?.resources?.requests,
    }));
  const edit = (domain: object, name = 'web') =>
    world.admin.patch(VMS, name, { type: 'merge', body: { spec: { template: { spec: { domain } } } } }, { namespace });
  const migrations = async () => (await world.admin.list(VMIMS, { namespace })).items;

  it('migrates to a launcher with larger requests, and is resized only then', async () => {
    const [before] = await launchers();
    expect(before?.requests).toMatchObject({ cpu: '100m', memory: '1Gi' });
    expect((await instance()).status).toMatchObject({
      memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
    });
    await edit({ cpu: { sockets: 3 }, memory: { guest: '3Gi' } });
    await world.clock.advance(60_000);
    const left = (await launchers()).filter(({ phase }) => phase === 'Running');
    expect(left).toHaveLength(1);
    expect(left[0]?.requests).toMatchObject({ cpu: '300m', memory: '3Gi' });
    expect(left[0]?.node).not.toBe(before?.node);
    expect((await instance()).status).toMatchObject({
      nodeName: left[0]?.node,
      currentCPUTopology: { sockets: 3 },
      memory: { guestAtBoot: '1Gi', guestCurrent: '3Gi', guestRequested: '3Gi' },
    });
    expect(await condition('HotVCPUChange')).toBeUndefined();
    expect(await condition('HotMemoryChange')).toBeUndefined();
    expect(await migrations()).toHaveLength(1);
    // The size is reduced again, down to the smallest that it ever had.
    await edit({ memory: { guest: '1Gi' } });
    await world.clock.advance(60_000);
    expect((await launchers()).find(({ phase }) => phase === 'Running')?.requests).toMatchObject({
      cpu: '300m',
      memory: '1Gi',
    });
    expect((await instance()).status?.memory).toMatchObject({ guestCurrent: '1Gi' });
  });

  it('stays as it is if no node fits, and reports why', async () => {
    for (const { metadata } of (await world.admin.list(NODES)).items) {
      const body = { spec: { unschedulable: true } };
      await world.admin.patch(NODES, metadata.name ?? '', { type: 'merge', body });
    }
    await everybodyToKnow();
    await edit({ memory: { guest: '3Gi' } });
    await world.clock.advance(60_000);
    expect(await condition('HotMemoryChange')).toMatchObject({ status: 'True', reason: 'MigrationRequired' });
    expect((await instance()).status).toMatchObject({ memory: { guestCurrent: '1Gi', guestRequested: '3Gi' } });
    await world.clock.advance(300_000);
    // Another migration may be in progress by then.
    expect((await migrations()).map(({ status }) => status?.phase)).toContain('Failed');
    expect(await condition('HotMemoryChange')).toMatchObject({ status: 'True', reason: 'MigrationFailed' });
    expect((await condition('HotMemoryChange'))?.message).toContain('no node found for the target pod');
    const held = (await launchers()).filter(({ phase }) => phase === 'Running');
    expect(held.map(({ requests }) => requests?.['memory'])).toEqual(['1Gi']);
  });

  /** Returns the numbers of sockets that the guest has had, one after the other, while time advances. */
  const socketsSeen = async (seconds: number) => {
    const seen: number[] = [];
    for (let at = 0; at < seconds * 10; at++) {
      const sockets = (await world.machines.running()).get('default/web')?.size.sockets;
      if (sockets !== undefined && sockets !== seen.at(-1)) seen.push(sockets);
      await world.clock.advance(100);
    }
    return seen;
  };

  it('never exceeds the requested size, if the migration can still be canceled', async () => {
    await edit({ cpu: { sockets: 3 } });
    await world.clock.advance(2000);
    expect((await migrations()).map(({ status }) => status?.phase)).not.toContain('Succeeded');
    await edit({ cpu: { sockets: 2 } });
    expect(await socketsSeen(60)).toEqual([1, 2]);
    expect((await launchers()).map(({ requests }) => requests?.['cpu'])).toEqual(['200m']);
    expect(await condition('HotVCPUChange')).toBeUndefined();
    expect((await migrations()).map(({ status }) => status?.phase)).toEqual(['Succeeded']);
  });

  it('stays on its node when the change is reverted before a node fits', async () => {
    const [before] = await launchers();
    const cordon = async (unschedulable: boolean | null) => {
      for (const { metadata } of (await world.admin.list(NODES)).items)
        await world.admin.patch(NODES, metadata.name ?? '', { type: 'merge', body: { spec: { unschedulable } } });
    };
    await cordon(true);
    await everybodyToKnow();
    await edit({ memory: { guest: '3Gi' } });
    await world.clock.advance(10_000);
    expect(await launchers()).toHaveLength(2);
    await edit({ memory: { guest: '1Gi' } });
    await world.clock.advance(5000);
    expect(await migrations()).toEqual([]);
    expect(await launchers()).toEqual([before]);
    await cordon(null);
    await world.clock.advance(60_000);
    expect(await launchers()).toEqual([before]);
  });

  it('keeps sockets that were plugged before the change was reverted, until its next start', async () => {
    // A migration requested by a user has other reasons too, and continues.
    await edit({ cpu: { sockets: 3 } });
    await world.admin.create(VMIMS, { metadata: { name: 'mine', namespace }, spec: { vmiName: 'web' } });
    await world.clock.advance(2000);
    expect((await migrations()).map(({ metadata }) => metadata.name)).toEqual(['mine']);
    await edit({ cpu: { sockets: 2 } });
    expect(await socketsSeen(120)).toEqual([1, 3]);
    expect(await condition('HotVCPUChange')).toMatchObject({ status: 'False', reason: 'RestartRequired' });
    const required = async () =>
      (await world.admin.get(VMS, 'web', { namespace })).status?.conditions?.find(
        ({ type }) => type === 'RestartRequired',
      )?.message;
    expect(await required()).toContain('spec.template.spec.domain.cpu.sockets');
    // Any other migration applies the change as well.
    await edit({ memory: { guest: '2Gi' } });
    expect(await socketsSeen(60)).toEqual([3]);
    expect((await launchers()).map(({ requests }) => requests)).toMatchObject([{ cpu: '300m', memory: '2Gi' }]);
    await edit({ cpu: { sockets: 4 } });
    expect(await socketsSeen(60)).toEqual([3, 4]);
    expect(await required()).toBeUndefined();
  });

  it('waits for its next start if it cannot be migrated, and reports that', async () => {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await world.admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: 'disk', namespace }, spec: claim });
    const volumes = [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }];
    await make('fixed', { volumes }, { disks: [{ name: 'disk', disk: {} }] });
    await edit({ cpu: { sockets: 2 } }, 'fixed');
    await world.clock.advance(60_000);
    const { status } = await world.admin.get(VMS, 'fixed', { namespace });
    expect(status?.conditions?.find(({ type }) => type === 'RestartRequired')).toMatchObject({
      status: 'True',
      message: 'spec changes require a restart: spec.template.spec.domain.cpu.sockets',
    });
    expect(await migrations()).toEqual([]);
    await edit({ cpu: { sockets: 1 } }, 'fixed');
    await world.clock.advance(5000);
    const after = (await world.admin.get(VMS, 'fixed', { namespace })).status;
    expect(after?.conditions?.some(({ type }) => type === 'RestartRequired')).toBe(false);
  });
});
