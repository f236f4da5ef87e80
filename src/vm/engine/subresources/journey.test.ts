import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SubresourceHarness, startSubresourceHarness } from '#testing/subresource-harness';

let world: SubresourceHarness;

beforeEach(async () => {
  world = await startSubresourceHarness();
  world.control();
});
afterEach(async () => await world.stop());

it('a machine is started standing still, let go, restarted and stopped, as its controller understands it', async () => {
  await world.make('web', { running: false });
  await world.ask('virtualmachines/web/start', { paused: true });
  const first = await world.until(() => world.instance('web'));
  expect(first.spec.startStrategy).toBe('Paused');
  await world.phase('web', 'Running', { conditions: [{ type: 'Paused', status: 'True' }] });
  await world.until(async () => (await world.vm('web')).status?.printableStatus === 'Paused');
  expect((await world.vm('web')).status?.stateChangeRequests).toBeUndefined();

  await world.ask('virtualmachineinstances/web/unpause');
  expect((await world.instance('web'))?.metadata.annotations?.['vimana.io/paused']).toBe('false');
  await world.phase('web', 'Running', { conditions: [] });
  await world.until(async () => (await world.vm('web')).status?.printableStatus === 'Running');

  await world.ask('virtualmachines/web/restart', { gracePeriodSeconds: 0 });
  const going = await world.until(async () => {
    const instance = await world.instance('web');
    return instance?.metadata.deletionTimestamp === undefined ? undefined : instance;
  });
  expect(going.spec.terminationGracePeriodSeconds).toBe(0);
  await world.finish('web');
  const second = await world.until(async () => {
    const instance = await world.instance('web');
    return instance?.metadata.uid === first.metadata.uid ? undefined : instance;
  });
  expect(second.spec.startStrategy).toBeUndefined();
  await world.phase('web', 'Running');

  await world.ask('virtualmachines/web/stop');
  await world.until(async () => (await world.instance('web'))?.metadata.deletionTimestamp !== undefined);
  await world.finish('web');
  await world.until(async () => (await world.vm('web')).status?.printableStatus === 'Stopped');
  expect((await world.vm('web')).spec.running).toBe(false);
});
