import { afterEach, expect, it } from 'vitest';
import { SECRETS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { isForbidden } from '#platform/kube/kube-error';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';
import type { MachineDriver } from '../machine-driver.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { nodeObjects } from '../node-objects.ts';
import { readSeedContents } from '../qemu/seed/seed-contents.ts';
import { secretReader } from '../secret-reader.ts';
import { Simulation } from '../simulated/machine/simulation.ts';

const NODE = 'kwok-node-1';
const secret = {
  metadata: { name: 'user', namespace },
  data: { userdata: Buffer.from('#!/bin/sh').toString('base64') },
};
const volumes = [{ name: 'seed', cloudInitNoCloud: { secretRef: { name: 'user' } } }];
const spec = { domain: { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'seed', disk: {} }] } }, volumes };

let harness: FleetHarness;
afterEach(() => harness.cluster.stop());

/** Starts a node whose driver reads the objects of a machine before it starts it, as the driver of QEMU does. */
async function start() {
  harness = await fleetHarness();
  const client = harness.cluster.clientFor({ name: `system:node:${NODE}`, groups: ['system:nodes'] });
  const objects = nodeObjects(client);
  const watched: AbortSignal[] = [];
  const driver = new Simulation({ clock: harness.cluster.clock, defaults: {} }).driver(NODE);
  const reading: MachineDriver = new Proxy<MachineDriver>(driver, {
    get(target, name: keyof MachineDriver) {
      if (name !== 'start') return typeof target[name] === 'function' ? target[name].bind(target) : target[name];
      return async (machine: MachineSpec) => {
        await readSeedContents(machine, {
          ...objects,
          waitForChange: (reference, version, signal) => {
            watched.push(signal);
            return objects.waitForChange(reference, version, signal);
          },
        });
        return await target.start(machine);
      };
    },
  });
  harness.start({ pools: [{ count: 1 }], drivers: new Map([[NODE, reading]]), renewLeases: false });
  return { objects, watched };
}

/** Creates an instance that needs the Secret, and its launcher. */
async function createMachine(name: string) {
  const instance = await harness.makeInstance(name, { spec });
  const pod = await harness.createLauncherPod(instance, NODE);
  return pod;
}

/** Lets a pod refer to the Secret, which an existing one cannot learn. */
async function referTo(name: string) {
  await harness.makePod(name, { spec: { nodeName: NODE, volumes: [{ name: 'v', secret: { secretName: 'user' } }] } });
}

const waitingOf = (name: string) =>
  harness.untilPod(name, ({ status }) => JSON.stringify(status ?? {}).includes('FailedMount'));

it('a machine waits for a missing Secret, and starts as soon as it exists', async () => {
  await start();
  await referTo('user-of-secret');
  await createMachine('m');
  const { status } = await waitingOf('launcher-m');
  expect(JSON.stringify(status)).toContain(
    'Secret \\"default/user\\" not found (volume seed: cloudInitNoCloud.secretRef)',
  );
  expect(harness.told).toContain('m Warning FailedMount');
  await harness.admin.create(SECRETS, secret);
  // The clock stands still, so that no retry could start it.
  await harness.untilPhase('m', 'Running');
});

it('a machine waits for a Secret without its key, until it has the key', async () => {
  await start();
  await referTo('user-of-secret');
  await harness.admin.create(SECRETS, { ...secret, data: {} });
  await createMachine('m');
  await waitingOf('launcher-m');
  await harness.admin.patch(SECRETS, 'user', { type: 'merge', body: { data: secret.data } }, { namespace });
  await harness.untilPhase('m', 'Running');
});

it('nothing is watched any more once the launcher is deleted', async () => {
  const { watched } = await start();
  await referTo('user-of-secret');
  await createMachine('m');
  await waitingOf('launcher-m');
  await harness.cluster.until(() => watched.length === 1);
  await harness.admin.delete(PODS, 'launcher-m', { namespace, gracePeriodSeconds: 0 });
  await harness.cluster.until(() => watched.every(({ aborted }) => aborted));
});

it('a node reads only what its pods refer to', async () => {
  const { objects } = await start();
  const secrets = secretReader(objects);
  await harness.admin.create(SECRETS, secret);
  const denied: unknown = await secrets.read(namespace, 'user').catch((error: unknown) => error);
  expect(isForbidden(denied)).toBe(true);
  await referTo('user-of-secret');
  expect((await secrets.read(namespace, 'user'))?.['userdata']?.toString()).toBe('#!/bin/sh');
  await harness.makePod('other', { spec: { nodeName: NODE, imagePullSecrets: [{ name: 'none' }] } });
  expect(await secrets.read(namespace, 'none')).toBeUndefined();
});
