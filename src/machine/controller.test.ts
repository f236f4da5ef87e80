import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MachineWorld, startMachineWorld } from '../testing/machine-world.ts';

let world: MachineWorld;
beforeEach(async () => {
  world = await startMachineWorld();
});
afterEach(() => world.stop());

const printed = async (name: string) => (await world.vm(name)).status?.printableStatus;
const untilPrinted = (name: string, status: string) => world.until(async () => (await printed(name)) === status);
const untilMade = (name: string) => world.until(() => world.instance(name));
const untilGone = (name: string) => world.until(async () => (await world.instance(name)) === undefined);
const untilGoing = (name: string) =>
  world.until(async () => (await world.instance(name))?.metadata.deletionTimestamp !== undefined);

describe('a machine that is to run always', () => {
  it('gets an instance, and tells how it is', async () => {
    world.control();
    await world.make('web', { runStrategy: 'Always' });
    const instance = await untilMade('web');
    expect(instance.metadata).toMatchObject({
      labels: { app: 'web' },
      annotations: { 'kubevirt.io/vm-generation': '1' },
      finalizers: ['foregroundDeleteVirtualMachine'],
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', controller: true }],
    });
    await untilPrinted('web', 'Starting');
    await world.phase('web', 'Running');
    await untilPrinted('web', 'Running');
    expect((await world.vm('web')).status).toMatchObject({
      observedGeneration: 1,
      desiredGeneration: 1,
      created: true,
      ready: true,
      virtualMachine: 'web',
      runStrategy: 'Always',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
  });

  it('is stopped with its spec', async () => {
    world.control();
    await world.make('web', { running: true });
    await untilMade('web');
    await world.phase('web', 'Running');
    await untilPrinted('web', 'Running');
    await world.edit('web', { running: false });
    await untilGoing('web');
    await untilPrinted('web', 'Stopping');
    await world.phase('web', 'Succeeded', { reason: 'Stopped' });
    await world.finish('web');
    await untilGone('web');
    await world.until(async () => (await world.vm('web')).status?.created === false);
    expect((await world.vm('web')).status).toMatchObject({
      printableStatus: 'Stopped',
      ready: false,
      conditions: [
        { type: 'Ready', status: 'False', reason: 'VMINotExists' },
        { type: 'LastShutdown', reason: 'Stopped' },
      ],
    });
  });
});
