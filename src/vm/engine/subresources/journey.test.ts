import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SubresourceHarness, startSubresourceHarness } from '#testing/subresource-harness';

let harness: SubresourceHarness;

beforeEach(async () => {
  harness = await startSubresourceHarness();
  harness.control();
});
afterEach(async () => await harness.stop());

it('a VM is started paused, resumed, restarted and stopped by its controller', async () => {
  await harness.make('web', { running: false });
  await harness.ask('virtualmachines/web/start', { paused: true });
  const first = await harness.until(() => harness.instance('web'));
  expect(first.spec.startStrategy).toBe('Paused');
  await harness.phase('web', 'Running', { conditions: [{ type: 'Paused', status: 'True' }] });
  await harness.until(async () => (await harness.vm('web')).status?.printableStatus === 'Paused');
  expect((await harness.vm('web')).status?.stateChangeRequests).toBeUndefined();

  await harness.ask('virtualmachineinstances/web/unpause');
  expect((await harness.instance('web'))?.metadata.annotations?.['vimana.io/paused']).toBe('false');
  await harness.phase('web', 'Running', { conditions: [] });
  await harness.until(async () => (await harness.vm('web')).status?.printableStatus === 'Running');

  await harness.ask('virtualmachines/web/restart', { gracePeriodSeconds: 0 });
  const going = await harness.until(async () => {
    const instance = await harness.instance('web');
    return instance?.metadata.deletionTimestamp === undefined ? undefined : instance;
  });
  expect(going.spec.terminationGracePeriodSeconds).toBe(0);
  await harness.finish('web');
  const second = await harness.until(async () => {
    const instance = await harness.instance('web');
    return instance?.metadata.uid === first.metadata.uid ? undefined : instance;
  });
  expect(second.spec.startStrategy).toBeUndefined();
  await harness.phase('web', 'Running');

  await harness.ask('virtualmachines/web/stop');
  await harness.until(async () => (await harness.instance('web'))?.metadata.deletionTimestamp !== undefined);
  await harness.finish('web');
  await harness.until(async () => (await harness.vm('web')).status?.printableStatus === 'Stopped');
  expect((await harness.vm('web')).spec.running).toBe(false);
});
