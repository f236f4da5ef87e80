import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { Client, ResourceType, WatchEvent } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { startVmHarness, template, type VmHarness } from '#testing/vm-harness';
import { AddressPool } from './address-pool.ts';

let harness: VmHarness;
beforeEach(async () => {
  harness = await startVmHarness();
});
afterEach(() => harness.stop());

const namespace = 'default';
const writes = (what: string) => harness.writes.filter((write) => write === what).length;
/** Deletes an object regardless of its finalizers. */
async function wipe<T extends KubeObject>(type: ResourceType<T>, name: string) {
  await harness.admin.delete(type, name, { namespace });
  await harness.admin
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

describe('while its cache of VMs is stale, the controller', () => {
  it('does not overwrite its own status with an older one', async () => {
    const lag = lagging();
    harness.control({}, lag.wrap);
    await harness.make('web', { runStrategy: 'Always' });
    await harness.untilMade();
    await harness.untilPrinted('Starting');
    await harness.settle();
    lag.state.held = true;
    await harness.phase('web', 'Running');
    await harness.untilPrinted('Running');
    const before = writes('update VirtualMachine/status');
    for (let i = 0; i < 3; i++) {
      await harness.vmiStatus('web', { guestOSInfo: { name: `${i}` } });
      await harness.settle();
    }
    expect(writes('update VirtualMachine/status')).toBe(before);
    lag.go();
  });

  it('starts nothing for a request that is finished', async () => {
    const lag = lagging();
    harness.control({}, (client) =>
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
    await harness.make('web', { runStrategy: 'Manual' });
    await harness.untilPrinted('Stopped');
    await harness.admin.patch(
      VMS,
      'web',
      { type: 'merge', body: { status: { stateChangeRequests: [{ action: 'Start' }] } } },
      { namespace, subresource: 'status' },
    );
    await harness.untilMade();
    await harness.until(async () => (await harness.status())?.stateChangeRequests === undefined);
    await wipe(VMIS, 'web');
    await harness.waitForDeletion();
    await harness.clock.advance(5000);
    expect(writes('create VirtualMachineInstance')).toBe(1);
    lag.go();
    await harness.clock.advance(5000);
    expect(writes('create VirtualMachineInstance')).toBe(1);
    await harness.untilPrinted('Stopped');
  });

  it('adopts nothing for a VM that is deleted', async () => {
    const lag = lagging();
    harness.control({}, lag.wrap);
    await harness.make('web', { runStrategy: 'Manual' });
    await harness.untilPrinted('Stopped');
    await harness.settle();
    lag.state.held = true;
    await wipe(VMS, 'web');
    await harness.operator.create(VMIS, { metadata: { name: 'web', namespace }, spec: template.spec });
    await harness.settle();
    expect((await harness.instance('web'))?.metadata.ownerReferences ?? []).toEqual([]);
    lag.go();
  });

  it('forgets a VM even if it sees only its successor of the same name', async () => {
    const lag = lagging();
    harness.control({ addresses: new AddressPool('192.0.2.1/32') }, lag.wrap);
    await harness.make('web', { runStrategy: 'Always' });
    const { metadata } = await harness.untilMade();
    lag.state.lost = ({ type }) => type === 'DELETED';
    await harness.settle();
    lag.state.held = true;
    await wipe(VMS, 'web');
    await wipe(VMIS, 'web');
    await harness.waitForDeletion();
    await harness.make('web', { runStrategy: 'Always' });
    lag.go();
    await harness.clock.advance(10_000);
    expect((await harness.untilMade()).metadata.uid).not.toBe(metadata.uid);
  });
});

describe('a controller that has just started', () => {
  it('does not reassign the address of a stopped VM', async () => {
    const stop = harness.control({ addresses: new AddressPool('192.0.2.0/31') });
    await harness.make('a', { runStrategy: 'Always' });
    await harness.untilMade('a');
    await harness.phase('a', 'Running');
    await harness.untilPrinted('Running', 'a');
    await harness.edit('a', { runStrategy: 'Halted' });
    await harness.until(async () => (await harness.instance('a'))?.metadata.deletionTimestamp !== undefined);
    await harness.finish('a');
    await harness.until(async () => (await harness.status('a'))?.created === false);
    await stop();
    harness.control({ addresses: new AddressPool('192.0.2.0/31') });
    await harness.make('b', { runStrategy: 'Always' });
    await harness.untilMade('b');
    await harness.make('c', { runStrategy: 'Always' });
    await harness.until(async () =>
      (await harness.status('c'))?.conditions?.some(({ reason }) => reason === 'NoAddressLeft'),
    );
    await harness.edit('a', { runStrategy: 'Always' });
    await harness.untilMade('a');
  });
});

describe('if many VMs are stopped at once,', () => {
  it('the end of each is reported, although not every step was recorded', async () => {
    harness.control();
    const names = Array.from({ length: 30 }, (_, i) => `vm-${i}`);
    for (const name of names) await harness.make(name, { runStrategy: 'Always' });
    for (const name of names) await harness.untilMade(name);
    for (const name of names) await harness.phase(name, 'Running');
    for (const name of names) await harness.untilPrinted('Running', name);
    await harness.settle();
    const before = writes('update VirtualMachine/status');
    for (const name of names) await harness.edit(name, { runStrategy: 'Halted' });
    for (const name of names) {
      await harness.until(async () => (await harness.instance(name))?.metadata.deletionTimestamp !== undefined);
      await harness.phase(name, 'Succeeded', { reason: 'Stopped' });
    }
    for (const name of names) await harness.finish(name);
    for (const name of names) await harness.until(async () => (await harness.status(name))?.created === false);
    for (const name of names) {
      expect((await harness.status(name))?.conditions).toMatchObject([
        { type: 'Ready' },
        { type: 'LastShutdown', reason: 'Stopped' },
      ]);
    }
    expect(writes('update VirtualMachine/status') - before).toBe(names.length);
  });
});
