import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { NODE_RESTORE_ANNOTATION, RESTORE_LISTING_ANNOTATION } from '#platform/kube/node-restore';
import type { Cluster } from '#testing/cluster';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';
import { machineSpecOf } from '../machine-spec.ts';

let harness: FleetHarness;
let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  harness = await fleetHarness();
  ({ cluster, admin } = harness);
});
afterEach(() => cluster.stop());

const [ONE, TWO, THREE] = ['kwok-node-1', 'kwok-node-2', 'kwok-node-3'];
const RESTORE = 'the-restore';
const listing = (machines: readonly string[], restore = RESTORE) => JSON.stringify({ restore, machines });
const annotationsOf = async (node: string) => (await admin.get(NODES, node)).metadata.annotations ?? {};

/** Creates a node that belongs to a node agent in another process, which the test simulates. */
const makeForeignNode = (annotations: Record<string, string>) =>
  admin.create(NODES, { metadata: { name: 'metal', labels: { 'vimana.io/runtime': 'qemu' }, annotations } });
const response = (annotations: Record<string, string | null>) =>
  admin.patch(NODES, 'metal', { type: 'merge', body: { metadata: { annotations } } });

/** Leaves the nodes as `vimana restore` does, before any node agent runs. */
async function restoredNodes(): Promise<void> {
  const { stop } = harness.start();
  for (const node of [ONE, TWO, THREE]) {
    await cluster.until(() =>
      admin.get(NODES, node).then(
        () => true,
        () => false,
      ),
    );
  }
  await stop();
  const body = { metadata: { annotations: { [NODE_RESTORE_ANNOTATION]: RESTORE } } };
  for (const node of [ONE, TWO, THREE]) await admin.patch(NODES, node, { type: 'merge', body });
}

it('starts no machine after a restore before every node has listed what it runs', async () => {
  await restoredNodes();
  await makeForeignNode({
    [NODE_RESTORE_ANNOTATION]: RESTORE,
    [RESTORE_LISTING_ANNOTATION]: listing([], 'an earlier one'),
  });
  const { fleet } = harness.start();
  const vmi = await harness.makeInstance('m');
  await harness.createLauncherPod(vmi, ONE);
  for (const node of [ONE, TWO, THREE]) {
    await cluster.until(async () => (await annotationsOf(node))[RESTORE_LISTING_ANNOTATION] === listing([]));
  }
  await cluster.clock.advance(60_000);
  expect(await fleet.simulation.driver(ONE).list()).toEqual([]);
  expect((await harness.instance('m')).status?.phase).not.toBe('Running');

  await response({ [RESTORE_LISTING_ANNOTATION]: listing(['default/other']) });
  await harness.untilPhase('m', 'Running');
  for (const node of [ONE, TWO, THREE]) {
    await cluster.until(async () => (await annotationsOf(node))[NODE_RESTORE_ANNOTATION] === undefined);
    expect((await annotationsOf(node))[RESTORE_LISTING_ANNOTATION]).toBeUndefined();
  }
});

it('starts no machine while another node lists one with its name', async () => {
  await restoredNodes();
  await makeForeignNode({ [NODE_RESTORE_ANNOTATION]: RESTORE, [RESTORE_LISTING_ANNOTATION]: listing(['default/m']) });
  const { fleet } = harness.start();
  const vmi = await harness.makeInstance('m');
  await harness.createLauncherPod(vmi, ONE);
  await cluster.until(async () => (await annotationsOf(ONE))[NODE_RESTORE_ANNOTATION] === undefined);
  await cluster.clock.advance(60_000);
  expect(await fleet.simulation.driver(ONE).list()).toEqual([]);

  await response({ [NODE_RESTORE_ANNOTATION]: null, [RESTORE_LISTING_ANNOTATION]: null });
  await harness.untilPhase('m', 'Running');
});

it('stops unknown machines only when every node has listed its own, and does not wait for deleted nodes', async () => {
  await restoredNodes();
  await makeForeignNode({ [NODE_RESTORE_ANNOTATION]: RESTORE });
  const vmi = await harness.makeInstance('unknown');
  const pod = { metadata: { name: 'made-since-the-backup', namespace, uid: 'its-uid' } } as Pod;
  const { fleet } = harness.start();
  const driver = fleet.simulation.driver(TWO);
  await driver.start(machineSpecOf(vmi, pod));
  await cluster.until(
    async () => (await annotationsOf(TWO))[RESTORE_LISTING_ANNOTATION] === listing(['default/unknown']),
  );
  await cluster.clock.advance(20_000);
  expect(await driver.list()).toHaveLength(1);

  await admin.delete(NODES, 'metal');
  await cluster.until(async () => (await annotationsOf(TWO))[NODE_RESTORE_ANNOTATION] === undefined);
  expect(await driver.list()).toEqual([]);
});
