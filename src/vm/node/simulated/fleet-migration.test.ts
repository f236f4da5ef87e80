import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';
import type { SimulatedFleet } from './simulated-fleet.ts';

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
});
afterEach(() => cluster.stop());

const [ONE, TWO] = ['kwok-node-1', 'kwok-node-2'];
const MIGRATION = 'b7a1b1a8-0000-4000-8000-000000000001';

async function runInstance(name: string, annotations: Record<string, string> = {}): Promise<Vmi> {
  const vmi = await harness.makeInstance(name, { annotations });
  await harness.createLauncherPod(vmi, ONE);
  return await harness.untilPhase(name, 'Running');
}
const stateOn = async (fleet: SimulatedFleet, node: string, vmi: Vmi) =>
  (await fleet.simulation.driver(node).inspect(vmi.metadata.uid))?.state;
const patchState = (name: string, migrationState: object) =>
  admin.patch(
    VMIS,
    name,
    { type: 'merge', body: { status: { migrationState } } },
    { namespace, subresource: 'status' },
  );

/** Performs the steps of the migration controller up to where the node agents continue. */
async function beginMigration(vmi: Vmi, more: object = {}): Promise<void> {
  await harness.createLauncherPod(vmi, TWO, { name: 'target', migration: MIGRATION });
  await harness.untilPod('target', ({ status }) => status?.phase === 'Running');
  await patchState(vmi.metadata.name, {
    migrationUid: MIGRATION,
    sourceNode: ONE,
    sourcePod: `launcher-${vmi.metadata.name}`,
    targetNode: TWO,
    targetPod: 'target',
    ...more,
  });
}
const migrationOf = async (name: string) => (await harness.instance(name)).status?.migrationState;

describe('a live migration', () => {
  it('moves the machine, its status and its pod, and keeps its addresses and its age', async () => {
    const { fleet } = harness.start();
    const before = await runInstance('m');
    await patchState('m', {});
    await admin.patch(
      VMIS,
      'm',
      { type: 'merge', body: { status: { evacuationNodeName: ONE } } },
      { namespace, subresource: 'status' },
    );
    await beginMigration(before);
    await cluster.until(async () => (await migrationOf('m'))?.targetNodeAddress !== undefined);
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    expect(await stateOn(fleet, ONE, before)).toBe('running');
    expect(await stateOn(fleet, TWO, before)).toBe('incoming');
    await cluster.clock.advance(1_000);
    const after = await cluster.until(async () => {
      const vmi = await harness.instance('m');
      return vmi.status?.nodeName === TWO && vmi;
    });
    const target = await harness.pod('target');
    expect(after.status).toMatchObject({
      phase: 'Running',
      nodeName: TWO,
      activePods: { [target.metadata.uid ?? '']: TWO },
      interfaces: before.status?.interfaces,
      migrationState: { completed: true, migrationUid: MIGRATION, mode: 'PreCopy' },
    });
    expect(after.status?.migrationState?.failed).toBeUndefined();
    expect(after.status?.evacuationNodeName).toBeUndefined();
    expect(after.status?.activePods).toEqual({ [target.metadata.uid ?? '']: TWO });
    expect(await stateOn(fleet, ONE, before)).toBeUndefined();
    expect(await stateOn(fleet, TWO, before)).toBe('running');
    await harness.untilPod('launcher-m', ({ status }) => status?.phase === 'Succeeded');
    expect(target.status?.['podIP']).toBe('10.244.0.7');
    expect(harness.told).toEqual(['m Normal Started', 'm Normal Migrating', 'm Normal Migrated']);
    // The target reports for the machine from now on.
    await harness.annotate('m', { 'vimana.io/paused': 'true' });
    await cluster.until(async () => (await stateOn(fleet, TWO, before)) === 'paused');
    await admin.delete(VMIS, 'm', { namespace });
    await cluster.until(async () => (await stateOn(fleet, TWO, before)) === undefined);
  });

  it('that does not converge fails, and the machine keeps running on the source', async () => {
    const { fleet } = harness.start({ link: 1e6 });
    const vmi = await runInstance('m', { 'vimana.io/dirty-rate': '2M' });
    await beginMigration(vmi);
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    await cluster.clock.advance(150_000);
    await cluster.until(async () => (await migrationOf('m'))?.completed === true);
    expect(await migrationOf('m')).toMatchObject({ failed: true, completed: true });
    expect((await migrationOf('m'))?.failureReason).toMatch(/does not converge/);
    expect((await harness.instance('m')).status).toMatchObject({ phase: 'Running', nodeName: ONE });
    expect(await stateOn(fleet, ONE, vmi)).toBe('running');
    await admin.delete(PODS, 'target', { namespace });
    await harness.untilPodGone('target');
    expect(await stateOn(fleet, TWO, vmi)).toBeUndefined();
    expect(await stateOn(fleet, ONE, vmi)).toBe('running');
  });

  it('respects its bandwidth', async () => {
    harness.start();
    const vmi = await runInstance('m');
    await beginMigration(vmi, { migrationConfiguration: { bandwidthPerMigration: '16Mi' } });
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    // 128Mi at 16Mi per second take 8 s.
    await cluster.clock.advance(7_900);
    expect((await harness.instance('m')).status?.nodeName).toBe(ONE);
    await cluster.clock.advance(200);
    await cluster.until(async () => (await harness.instance('m')).status?.nodeName === TWO);
  });

  it('of a busy guest ends in bounded time with post-copy, which is reported', async () => {
    const MIB = 2 ** 20;
    harness.start({ link: 16 * MIB });
    const vmi = await runInstance('m', { 'vimana.io/dirty-rate': '64Mi' });
    await beginMigration(vmi, { migrationConfiguration: { allowPostCopy: true } });
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    expect(await migrationOf('m')).toMatchObject({ mode: 'PreCopy', totalBytes: 128 * MIB });
    // All memory is sent twice.
    await cluster.clock.advance(15_900);
    expect((await harness.instance('m')).status?.nodeName).toBe(ONE);
    await cluster.clock.advance(200);
    await cluster.until(async () => (await harness.instance('m')).status?.nodeName === TWO);
    const { transferredBytes = 0, downtimeMs = 0, ...state } = (await migrationOf('m')) ?? {};
    expect(state).toMatchObject({ mode: 'PostCopy', completed: true });
    expect(transferredBytes / MIB).toBeCloseTo(256, 0);
    expect(downtimeMs).toBeGreaterThan(0);
    expect(downtimeMs).toBeLessThanOrEqual(300);
  });

  it('reports when it will end, and how much it sent', async () => {
    const MIB = 2 ** 20;
    harness.start({ link: 16 * MIB });
    const vmi = await runInstance('m');
    await beginMigration(vmi);
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    const { startTimestamp, expectedEndTimestamp } = (await migrationOf('m')) ?? {};
    expect(Date.parse(expectedEndTimestamp ?? '') - Date.parse(startTimestamp ?? '')).toBe(8_000);
    await cluster.clock.advance(8_100);
    await cluster.until(async () => (await harness.instance('m')).status?.nodeName === TWO);
    expect(await migrationOf('m')).toMatchObject({ transferredBytes: 128 * MIB, downtimeMs: 250 });
  });

  it('that is canceled leaves the machine on the source', async () => {
    const { fleet } = harness.start({ link: 1e6 });
    const vmi = await runInstance('m');
    await beginMigration(vmi);
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    await cluster.clock.advance(10_000);
    await patchState('m', { abortRequested: true });
    await cluster.until(async () => (await migrationOf('m'))?.completed === true);
    expect(await migrationOf('m')).toMatchObject({ failed: true, abortStatus: 'Succeeded' });
    expect(await stateOn(fleet, ONE, vmi)).toBe('running');
    await cluster.until(async () => (await stateOn(fleet, TWO, vmi)) !== 'incoming');
  });

  it('is not accepted by a target that was prepared for another', async () => {
    harness.start();
    const vmi = await runInstance('m');
    await beginMigration(vmi, { migrationUid: 'b7a1b1a8-0000-4000-8000-000000000002' });
    await cluster.clock.advance(1_000);
    expect((await migrationOf('m'))?.targetNodeAddress).toBeUndefined();
  });

  it('stays successful if the source pod is deleted before that was reported', async () => {
    const { fleet } = harness.start();
    const vmi = await runInstance('m');
    await beginMigration(vmi);
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    harness.cutOff = true;
    await cluster.clock.advance(2_000);
    expect(await stateOn(fleet, TWO, vmi)).toBe('running');
    await admin.delete(PODS, 'launcher-m', { namespace, gracePeriodSeconds: 0 });
    harness.cutOff = false;
    await cluster.clock.advance(10_000);
    const { phase, nodeName, activePods } = (await harness.instance('m')).status ?? {};
    expect({ phase, nodeName }).toEqual({ phase: 'Running', nodeName: TWO });
    expect(activePods).toEqual({ [(await harness.pod('target')).metadata.uid ?? '']: TWO });
    expect(await stateOn(fleet, TWO, vmi)).toBe('running');
  });

  it('can be retried', async () => {
    const { fleet } = harness.start();
    const vmi = await runInstance('m');
    await beginMigration(vmi);
    await patchState('m', { abortRequested: true });
    await cluster.until(async () => (await migrationOf('m'))?.completed === true);
    await admin.delete(PODS, 'target', { namespace });
    await harness.untilPodGone('target');
    const second = 'b7a1b1a8-0000-4000-8000-000000000002';
    await harness.createLauncherPod(vmi, TWO, { name: 'again', migration: second });
    await harness.untilPod('again', ({ status }) => status?.phase === 'Running');
    const status = { migrationState: null };
    await admin.patch(VMIS, 'm', { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
    await patchState('m', {
      migrationUid: second,
      sourceNode: ONE,
      sourcePod: 'launcher-m',
      targetNode: TWO,
      targetPod: 'again',
    });
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    await cluster.clock.advance(1_000);
    await cluster.until(async () => (await harness.instance('m')).status?.nodeName === TWO);
    expect(await stateOn(fleet, TWO, vmi)).toBe('running');
  });

  it('ends with the instance', async () => {
    const { fleet } = harness.start({ link: 1e6 });
    const vmi = await runInstance('m');
    await admin.patch(
      VMIS,
      'm',
      { type: 'merge', body: { metadata: { finalizers: ['example.com/held'] } } },
      { namespace },
    );
    await beginMigration(vmi);
    await cluster.until(async () => (await migrationOf('m'))?.startTimestamp !== undefined);
    await admin.delete(VMIS, 'm', { namespace });
    await harness.untilPhase('m', 'Succeeded');
    await cluster.until(async () => (await stateOn(fleet, TWO, vmi)) !== 'incoming');
    expect(await stateOn(fleet, ONE, vmi)).toBeUndefined();
  });
});
