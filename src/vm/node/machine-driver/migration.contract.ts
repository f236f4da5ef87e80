import { expect, test } from 'vitest';
import { InvalidStateError, isAlive } from '../machine-driver.ts';
import { type CreateDrivers, endOf, stateOf, whereAble } from './drivers-under-test.fixture.ts';

/** Tests that machines migrate to another node. */
export function migrationContract(create: CreateDrivers): void {
  test('a migrated machine ends on the source and continues on the target, and never runs on both', async () => {
    const { here, there, spec, until } = await create();
    const { startedAt } = await here.start(spec('m'));
    await whereAble(
      here,
      'migration',
      () => there.prepareIncoming(spec('m'), 'u'),
      async () => {
        const running = async () => {
          const states = await Promise.all([stateOf(here, 'm'), stateOf(there, 'm')]);
          expect(states.filter((state) => state === 'running').length).toBeLessThanOrEqual(1);
          return states;
        };
        const { address } = await there.prepareIncoming({ ...spec('m'), pod: { name: 'target', uid: 'target' } }, 'u');
        expect(await there.prepareIncoming(spec('m'), 'u')).toEqual({ address });
        expect(await running()).toEqual(['running', 'incoming']);
        await here.migrate('m', { uid: 'u', address });
        await until(async () => (await running())[0] === 'ended');
        expect(await here.inspect('m')).toMatchObject({
          ended: { reason: 'Migrated' },
          migration: { uid: 'u', state: 'completed', remainingBytes: 0 },
        });
        const arrived = await there.inspect('m');
        expect(arrived).toMatchObject({ state: 'running', startedAt, spec: { pod: { uid: 'target' } } });
        await here.remove('m');
        expect(await stateOf(there, 'm')).toBe('running');
        await there.remove('m');
      },
    );
  });

  test('a canceled migration leaves the machine on the source, and nothing on the target', async () => {
    const { here, there, spec } = await create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await here.migrate('m', { uid: 'u', address, bandwidth: 1 });
    await expect(here.migrate('m', { uid: 'v', address })).rejects.toBeInstanceOf(InvalidStateError);
    await here.cancelMigration('m');
    expect(await here.inspect('m')).toMatchObject({ state: 'running', migration: { uid: 'u', state: 'cancelled' } });
    expect(isAlive(await there.inspect('m'))).toBe(false);
    await here.cancelMigration('m');
    await Promise.all([here.remove('m'), there.remove('m')]);
  });

  test('a migration fails, and the machine keeps running, when the target disappears', async () => {
    const { here, there, spec, until } = await create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await here.migrate('m', { uid: 'u', address, bandwidth: 1 });
    await there.kill('m', 'for the test');
    await until(async () => (await here.inspect('m'))?.migration?.state === 'failed');
    expect(await stateOf(here, 'm')).toBe('running');
    await Promise.all([here.remove('m'), there.remove('m')]);
  });

  test.each([
    [{ autoConverge: true }, 'PreCopy'],
    [{ postCopy: true }, 'PostCopy'],
  ] as const)('a busy guest arrives with %o, which is reported', async (how, mode) => {
    const { here, there, spec, until } = await create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m', 'busy'));
    const { address } = await there.prepareIncoming(spec('m', 'busy'), 'u');
    await here.migrate('m', { uid: 'u', address, ...how });
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await stateOf(there, 'm')).toBe('running');
    const { migration } = (await here.inspect('m')) ?? {};
    expect(migration).toMatchObject({ state: 'completed', mode });
    expect(migration?.transferredBytes).toBeGreaterThanOrEqual(migration?.totalBytes ?? Number.NaN);
    expect(migration?.downtimeMs).toBeGreaterThan(0);
    await Promise.all([here.remove('m'), there.remove('m')]);
  });

  test('nothing is sent to a target that does not expect it', async () => {
    const { here, there, spec } = await create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await expect(here.migrate('m', { uid: 'another', address })).rejects.toBeInstanceOf(InvalidStateError);
    await there.remove('m');
    await expect(here.migrate('m', { uid: 'u', address })).rejects.toBeInstanceOf(InvalidStateError);
    expect(await stateOf(here, 'm')).toBe('running');
    await here.remove('m');
  });

  test('a machine that is stopped during a migration ends, and continues nowhere', async () => {
    const { here, there, spec, until } = await create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await here.migrate('m', { uid: 'u', address, bandwidth: 1 });
    await here.stop('m', 60_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Stopped');
    expect(isAlive(await there.inspect('m'))).toBe(false);
    await Promise.all([here.remove('m'), there.remove('m')]);
  });
}
