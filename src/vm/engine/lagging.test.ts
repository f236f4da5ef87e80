import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { Client, ResourceType, WatchEvent } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { startVmHarness, template, type VmHarness } from '#testing/vm-harness';
import { AddressPool } from './address-pool.ts';

let world: VmHarness;
beforeEach(async () => {
  world = await startVmHarness();
});
afterEach(() => world.stop());

const namespace = 'default';
const writes = (what: string) => world.writes.filter((write) => write === what).length;
/** Deletes an object regardless of its finalizers. */
async function wipe<T extends KubeObject>(type: ResourceType<T>, name: string) {
  await world.admin.delete(type, name, { namespace });
  await world.admin
    .patch(type, name, { type: 'merge', body: { metadata: { finalizers: null } } }, { namespace })
    .catch(() => undefined);
}

/** Returns VM watches that a test can delay, and whose events it can drop. */
function lagging() {
  const state = { held: false, lost: (_event: WatchEvent) => false };
  let waiting: (() => void)[] = [];
  return {
    state,
    go() {
      state.held = false;
      for (const each of waiting) each();
      waiting = [];
    },
    wrap: (client: Client): Client => ({
      ...client,
      async *watch(type, options) {
        for await (const event of client.watch(type, options)) {
          if (type.plural === VMS.plural) {
            if (state.held) await new Promise<void>((resolve) => waiting.push(resolve));
            if (state.lost(event)) continue;
          }
          yield event;
        }
      },
    }),
  };
}

describe('while its cache of machines lags behind, the controller', () => {
  it('writes no status over the one that it has written', async () => {
    const lag = lagging();
    world.control({}, lag.wrap);
    await world.make('web', { runStrategy: 'Always' });
    await world.untilMade();
    await world.untilPrinted('Starting');
    await world.settle();
    lag.state.held = true;
    await world.phase('web', 'Running');
    await world.untilPrinted('Running');
    const before = writes('update VirtualMachine/status');
    for (let i = 0; i < 3; i++) {
      await world.vmiStatus('web', { guestOSInfo: { name: `${i}` } });
      await world.settle();
    }
    expect(writes('update VirtualMachine/status')).toBe(before);
    lag.go();
  });

  it('starts nothing for a request that is done', async () => {
    const lag = lagging();
    world.control({}, (client) =>
      lag.wrap({
        ...client,
        // From the start on, writes succeed but their responses never arrive.
        async create(...args) {
          lag.state.held = true;
          return await client.create(...args);
        },
        async update(...args) {
          const written = await client.update(...args);
          if (lag.state.held) throw new KubeError(504, 'Timeout', 'lost');
          return written;
        },
      }),
    );
    await world.make('web', { runStrategy: 'Manual' });
    await world.untilPrinted('Stopped');
    await world.admin.patch(
      VMS,
      'web',
      { type: 'merge', body: { status: { stateChangeRequests: [{ action: 'Start' }] } } },
      { namespace, subresource: 'status' },
    );
    await world.untilMade();
    await world.until(async () => (await world.status())?.stateChangeRequests === undefined);
    await wipe(VMIS, 'web');
    await world.waitForDeletion();
    await world.clock.advance(5000);
    expect(writes('create VirtualMachineInstance')).toBe(1);
    lag.go();
    await world.clock.advance(5000);
    expect(writes('create VirtualMachineInstance')).toBe(1);
    await world.untilPrinted('Stopped');
  });

  it('takes in nothing for a machine that is gone', async () => {
    const lag = lagging();
    world.control({}, lag.wrap);
    await world.make('web', { runStrategy: 'Manual' });
    await world.untilPrinted('Stopped');
    await world.settle();
    lag.state.held = true;
    await wipe(VMS, 'web');
    await world.operator.create(VMIS, { metadata: { name: 'web', namespace }, spec: template.spec });
    await world.settle();
    expect((await world.instance('web'))?.metadata.ownerReferences ?? []).toEqual([]);
    lag.go();
  });

  it('forgets a machine though it only sees another by its name', async () => {
    const lag = lagging();
    world.control({ addresses: new AddressPool('192.0.2.1/32') }, lag.wrap);
    await world.make('web', { runStrategy: 'Always' });
    const { metadata } = await world.untilMade();
    lag.state.lost = ({ type }) => type === 'DELETED';
    await world.settle();
    lag.state.held = true;
    await wipe(VMS, 'web');
    await wipe(VMIS, 'web');
    await world.waitForDeletion();
    await world.make('web', { runStrategy: 'Always' });
    lag.go();
    await world.clock.advance(10_000);
    expect((await world.untilMade()).metadata.uid).not.toBe(metadata.uid);
  });
});

describe('a controller that has just begun', () => {
  it('gives nobody the address of a machine that is stopped', async () => {
    const stop = world.control({ addresses: new AddressPool('192.0.2.0/31') });
    await world.make('a', { runStrategy: 'Always' });
    await world.untilMade('a');
    await world.phase('a', 'Running');
    await world.untilPrinted('Running', 'a');
    await world.edit('a', { runStrategy: 'Halted' });
    await world.until(async () => (await world.instance('a'))?.metadata.deletionTimestamp !== undefined);
    await world.finish('a');
    await world.until(async () => (await world.status('a'))?.created === false);
    await stop();
    world.control({ addresses: new AddressPool('192.0.2.0/31') });
    await world.make('b', { runStrategy: 'Always' });
    await world.untilMade('b');
    await world.make('c', { runStrategy: 'Always' });
    await world.until(async () =>
      (await world.status('c'))?.conditions?.some(({ reason }) => reason === 'NoAddressLeft'),
    );
    await world.edit('a', { runStrategy: 'Always' });
    await world.untilMade('a');
  });
});

describe('where many machines are stopped at once', () => {
  it('how each of them ended is told, though nobody wrote down every step', async () => {
    world.control();
    const names = Array.from({ length: 30 }, (_, i) => `vm-${i}`);
    for (const name of names) await world.make(name, { runStrategy: 'Always' });
    for (const name of names) await world.untilMade(name);
    for (const name of names) await world.phase(name, 'Running');
    for (const name of names) await world.untilPrinted('Running', name);
    await world.settle();
    const before = writes('update VirtualMachine/status');
    for (const name of names) await world.edit(name, { runStrategy: 'Halted' });
    for (const name of names) {
      await world.until(async () => (await world.instance(name))?.metadata.deletionTimestamp !== undefined);
      await world.phase(name, 'Succeeded', { reason: 'Stopped' });
    }
    for (const name of names) await world.finish(name);
    for (const name of names) await world.until(async () => (await world.status(name))?.created === false);
    for (const name of names) {
      expect((await world.status(name))?.conditions).toMatchObject([
        { type: 'Ready' },
        { type: 'LastShutdown', reason: 'Stopped' },
      ]);
    }
    expect(writes('update VirtualMachine/status') - before).toBe(names.length);
  });
});
