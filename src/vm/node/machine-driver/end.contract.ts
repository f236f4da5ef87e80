import { expect, test } from 'vitest';
import { InvalidStateError } from '../machine-driver.ts';
import { type CreateDrivers, endOf, stateOf } from './drivers-under-test.fixture.ts';

/** Tests that machines end, by themselves or on request, with the right reason. */
export function endContract(create: CreateDrivers): void {
  test('a guest that shuts down on request ends the machine with that reason', async () => {
    const { here, spec, until } = await create();
    await here.start(spec('m'));
    await here.stop('m', 60_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Stopped');
    await here.remove('m');
    expect(await here.list()).toEqual([]);
  });

  test('a guest that ignores the shutdown is killed after its grace period', async () => {
    const { here, spec, until } = await create();
    await here.start(spec('m', 'deaf'));
    await here.stop('m', 2_000);
    expect(await stateOf(here, 'm')).toBe('stopping');
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Killed');
    await here.remove('m');
  });

  test('the earlier of two deadlines applies', async () => {
    const { here, spec, until } = await create();
    await here.start(spec('m', 'deaf'));
    await here.stop('m', 3_600_000);
    await here.stop('m', 1_000);
    await here.stop('m', 3_600_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    await here.remove('m');
  });

  test('a paused guest is resumed to shut down', async () => {
    const { here, spec, until } = await create();
    await here.start({ ...spec('m'), startPaused: true });
    await here.stop('m', 60_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Stopped');
    await here.remove('m');
  });

  test('killing is immediate and idempotent', async () => {
    const { here, spec } = await create();
    await here.start(spec('m', 'deaf'));
    await here.kill('m', 'the first reason');
    await here.kill('m', 'the second reason');
    expect((await here.inspect('m'))?.ended).toMatchObject({ reason: 'Killed', message: 'the first reason' });
    await expect(here.pause('m')).rejects.toBeInstanceOf(InvalidStateError);
    await here.remove('m');
  });

  test.each([
    ['leaving', 'GuestShutdown'],
    ['crashing', 'Crashed'],
  ] as const)('a %s guest ends its machine with that reason', async (guest, reason) => {
    const { here, spec, until } = await create();
    await here.start(spec('m', guest));
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe(reason);
    await here.remove('m');
  });
}
