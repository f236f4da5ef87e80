import { expect, test } from 'vitest';
import { InvalidStateError, type Machine, MachineNotFoundError } from '../machine-driver.ts';
import { type CreateDrivers, stateOf, whereAble } from './drivers-under-test.fixture.ts';

/** Tests that machines start, pause and resume. */
export function powerContract(create: CreateDrivers): void {
  test('a started machine runs, and is listed', async () => {
    const { here, spec } = await create();
    const started = await here.start(spec('m'));
    expect(started).toMatchObject({ state: 'running', spec: { id: 'm' } });
    expect((await here.list()).map((machine) => machine.spec.id)).toEqual(['m']);
    expect(await here.inspect('m')).toMatchObject({ state: 'running', startedAt: started.startedAt });
    await here.remove('m');
  });

  test('starting a machine again does not create a second one', async () => {
    const { here, spec } = await create();
    const first = await here.start(spec('m'));
    const again = await here.start(spec('m'));
    expect(again.startedAt).toBe(first.startedAt);
    expect(await here.list()).toHaveLength(1);
    await here.remove('m');
  });

  test('a terminated machine does not start again', async () => {
    const { here, spec } = await create();
    await here.start(spec('m'));
    await here.kill('m', 'for the test');
    await expect(here.start(spec('m'))).rejects.toBeInstanceOf(InvalidStateError);
    await here.remove('m');
    expect(await here.start(spec('m'))).toMatchObject({ state: 'running' });
    await here.remove('m');
  });

  test('a machine can be started paused', async () => {
    const { here, spec } = await create();
    expect(await here.start({ ...spec('m'), startPaused: true })).toMatchObject({ state: 'paused' });
    await here.resume('m');
    expect(await stateOf(here, 'm')).toBe('running');
    await here.remove('m');
  });

  test('a machine is paused and resumed on request, repeatedly', async () => {
    const { here, spec } = await create();
    await here.start(spec('m'));
    await whereAble(
      here,
      'pause',
      () => here.pause('m'),
      async () => {
        await here.pause('m');
        await here.pause('m');
        expect(await stateOf(here, 'm')).toBe('paused');
        await here.resume('m');
        await here.resume('m');
        expect(await stateOf(here, 'm')).toBe('running');
      },
    );
    await here.remove('m');
  });

  test.each(['reset', 'softReboot'] as const)('a %s keeps the machine', async (how) => {
    const { here, spec } = await create();
    const { startedAt } = await here.start(spec('m'));
    await whereAble(
      here,
      how,
      () => here[how]('m'),
      async () => {
        await here[how]('m');
        expect(await here.inspect('m')).toMatchObject({ state: 'running', startedAt });
      },
    );
    await here.remove('m');
  });

  test('an unknown id is rejected by name', async () => {
    const { here } = await create();
    expect(await here.inspect('nobody')).toBeUndefined();
    for (const attempt of [
      () => here.stop('nobody', 0),
      () => here.pause('nobody'),
      () => here.cancelMigration('nobody'),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(MachineNotFoundError);
    }
    await here.kill('nobody', 'no matter');
    await here.remove('nobody');
  });

  test('listeners are notified after each change, until they stop listening', async () => {
    const { here, spec } = await create();
    const seen: Promise<Machine | undefined>[] = [];
    const stop = here.onChange((id) => void seen.push(here.inspect(id)));
    await here.start(spec('m'));
    await here.kill('m', 'for the test');
    expect((await Promise.all(seen)).at(-1)).toMatchObject({ state: 'ended' });
    stop();
    const before = seen.length;
    await here.remove('m');
    await here.start(spec('m'));
    expect(seen).toHaveLength(before);
    await here.remove('m');
  });
}
