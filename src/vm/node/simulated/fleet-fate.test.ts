import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { declareLost } from '#platform/kube/node-lease';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';
import { runNodeLifecycle } from '#testing/kubernetes-controllers';
import type { SimulatedFleet } from './simulated-fleet.ts';

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
});
afterEach(() => cluster.stop());

const ONE = 'kwok-node-1';

async function runInstance(name: string, annotations: Record<string, string> = {}): Promise<Vmi> {
  const vmi = await harness.makeInstance(name, { annotations });
  await harness.createLauncherPod(vmi, ONE);
  return await harness.untilPhase(name, 'Running');
}
const stateOn = async (fleet: SimulatedFleet, node: string, vmi: Vmi) =>
  (await fleet.simulation.driver(node).inspect(vmi.metadata.uid))?.state;

describe('a prepared machine', () => {
  /** Returns a fleet whose writes of instances take as long as a test needs. */
  function slowly() {
    const said = Promise.withResolvers<void>();
    const { fleet } = harness.start(
      {},
      {
        ...admin,
        async update(type, ...args) {
          if (type.kind === 'VirtualMachineInstance') await said.promise;
          return await admin.update(type, ...args);
        },
      },
    );
    const states: (string | undefined)[] = [];
    const driver = fleet.simulation.driver(ONE);
    driver.onChange((id) => void driver.inspect(id).then((machine) => states.push(machine?.state)));
    return { states, fleet, answer: () => said.resolve() };
  }

  it('does not run before its instance reports that it runs here', async () => {
    const { fleet, answer: response } = slowly();
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, ONE);
    await cluster.until(async () => (await stateOn(fleet, ONE, vmi)) === 'paused');
    await cluster.clock.advance(10_000);
    expect(await stateOn(fleet, ONE, vmi)).toBe('paused');
    response();
    await cluster.until(async () => (await stateOn(fleet, ONE, vmi)) === 'running');
  });

  it('never runs if the instance belongs to another node by now', async () => {
    const { fleet, states, answer: response } = slowly();
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, ONE);
    await cluster.until(async () => (await stateOn(fleet, ONE, vmi)) === 'paused');
    const status = { phase: 'Running', nodeName: 'elsewhere', activePods: { other: 'elsewhere' } };
    await admin.patch(VMIS, 'm', { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
    response();
    await cluster.clock.advance(10_000);
    expect(await stateOn(fleet, ONE, vmi)).toBeUndefined();
    expect(states).not.toContain('running');
  });
});

describe('a node that cannot renew its lease', () => {
  it('stops its machines after 30 s, and reports that when it can', async () => {
    const { fleet } = harness.start();
    const vmi = await runInstance('m');
    // The Lease is renewed for the last time after 20 s.
    await cluster.clock.advance(21_000);
    harness.cutOff = true;
    await cluster.clock.advance(28_000);
    expect(await stateOn(fleet, ONE, vmi)).toBe('running');
    await cluster.clock.advance(2_000);
    expect(await stateOn(fleet, ONE, vmi)).toBe('ended');
    harness.cutOff = false;
    await cluster.clock.advance(12_000);
    const failed = await harness.untilPhase('m', 'Failed');
    expect(failed.status?.reason).toBe('Fenced');
    await harness.untilPod('launcher-m', ({ status }) => status?.phase === 'Failed');
  });

  it('starts nothing before it has renewed it', async () => {
    const { fleet } = harness.start();
    await cluster.settle();
    harness.cutOff = true;
    await cluster.clock.advance(60_000);
    const vmi = await harness.makeInstance('m');
    await harness.createLauncherPod(vmi, ONE);
    await cluster.clock.advance(1_000);
    expect(await stateOn(fleet, ONE, vmi)).toBeUndefined();
    harness.cutOff = false;
    await cluster.clock.advance(12_000);
    await harness.untilPhase('m', 'Running');
  });

  it('continues after a short failure', async () => {
    const { fleet } = harness.start();
    const vmi = await runInstance('m');
    await cluster.clock.advance(19_000);
    harness.cutOff = true;
    await cluster.clock.advance(7_000);
    harness.cutOff = false;
    await cluster.clock.advance(120_000);
    expect(await stateOn(fleet, ONE, vmi)).toBe('running');
    expect((await harness.instance('m')).status?.phase).toBe('Running');
  });
});

describe('a fleet that restarts', () => {
  it('adopts the machines that should run, with their age, and starts none twice', async () => {
    const first = harness.start();
    const vmi = await runInstance('m', { 'vimana.io/boot-time': '10s' });
    await cluster.clock.advance(60_000);
    await cluster.settle();
    await first.stop();
    await cluster.clock.advance(5_000);
    harness.writes.length = 0;
    const { fleet } = harness.start();
    await cluster.until(async () => (await stateOn(fleet, ONE, vmi)) === 'running');
    const machine = await fleet.simulation.driver(ONE).inspect(vmi.metadata.uid);
    expect(machine).toMatchObject({ startedAt: Date.UTC(2030, 0, 1), booted: true });
    await cluster.settle();
    expect(harness.writes.filter((write) => write.includes('/status'))).toEqual([]);
  });

  it('adopts machines of a node whose lease has expired, unless it was declared lost', async () => {
    const first = harness.start();
    const vmi = await runInstance('m');
    await first.stop();
    await cluster.clock.advance(600_000);
    const { fleet } = harness.start();
    await cluster.until(async () => (await stateOn(fleet, ONE, vmi)) === 'running');
    expect((await harness.instance('m')).status?.phase).toBe('Running');
  });

  it('adopts none of a node that was declared lost, and reports that before the node is used again', async () => {
    const first = harness.start();
    await runInstance('m');
    await first.stop();
    await cluster.clock.advance(60_000);
    await declareLost(admin, await admin.get(LEASES, ONE, { namespace: 'kube-node-lease' }));
    const { fleet } = harness.start();
    expect((await harness.untilPhase('m', 'Failed')).status?.reason).toBe('Lost');
    await cluster.clock.advance(5_000);
    const { metadata } = await admin.get(LEASES, ONE, { namespace: 'kube-node-lease' });
    expect(metadata.annotations ?? {}).toEqual({});
    expect(await fleet.simulation.driver(ONE).list()).toEqual([]);
  });

  it('does not restart what was reported as terminated', async () => {
    const first = harness.start();
    await runInstance('m');
    await first.stop();
    const status = { phase: 'Failed', containerStatuses: [], conditions: [] };
    await admin.patch(PODS, 'launcher-m', { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
    const { fleet } = harness.start();
    await cluster.settle();
    expect(await fleet.simulation.driver(ONE).list()).toEqual([]);
  });
});

describe('a frozen node', () => {
  it('does nothing and renews no lease until it is unfrozen', async () => {
    runNodeLifecycle(cluster);
    const { fleet } = harness.start();
    const vmi = await runInstance('m');
    const freeze = (value: string | null) =>
      admin.patch(NODES, ONE, { type: 'merge', body: { metadata: { annotations: { 'vimana.io/freeze': value } } } });
    await freeze('true');
    await cluster.settle();
    await harness.annotate('m', { 'vimana.io/paused': 'true' });
    const renewed = async () => (await admin.get(LEASES, ONE, { namespace: 'kube-node-lease' })).spec?.renewTime;
    const before = await renewed();
    await cluster.clock.advance(25_000);
    expect(await stateOn(fleet, ONE, vmi)).toBe('running');
    await cluster.clock.advance(35_000);
    expect(await renewed()).toBe(before);
    expect(await stateOn(fleet, ONE, vmi)).toBe('ended');
    expect((await harness.instance('m')).status?.phase).toBe('Running');
    const ready = async () => conditionOf((await admin.get(NODES, ONE)).status?.conditions, 'Ready')?.status;
    expect(await ready()).toBe('Unknown');
    await freeze(null);
    await harness.untilPhase('m', 'Failed');
    await cluster.until(async () => (await ready()) === 'True');
    expect(await renewed()).not.toBe(before);
  });
});

describe('a terminating pod that another client changes', () => {
  it.each(['launcher-m', 'plain'])('is checked again before it is deleted: %s', async (name) => {
    const attempts: string[] = [];
    harness.start(
      {},
      {
        ...admin,
        async delete(type, which, options) {
          if (type.kind !== 'Pod' || which !== name) return await admin.delete(type, which, options);
          if (attempts.length === 0) {
            const body = { metadata: { annotations: { 'example.com/seen': 'no' } } };
            await admin.patch(PODS, name, { type: 'merge', body }, { namespace });
          }
          return await admin.delete(type, which, options).then(
            (left) => (attempts.push('gone'), left),
            (error: unknown) => {
              attempts.push((error as { reason?: string }).reason ?? '');
              throw error;
            },
          );
        },
      },
    );
    if (name === 'plain') await harness.makePod(name);
    else await runInstance('m');
    await harness.untilPod(name, ({ status }) => status?.phase === 'Running');
    await admin.delete(PODS, name, { namespace, gracePeriodSeconds: 1 });
    await cluster.clock.advance(60_000);
    await harness.untilPodGone(name);
    expect(attempts).toEqual(['Conflict', 'gone']);
  });
});
