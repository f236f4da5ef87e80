import { describe, expect, test } from 'vitest';
import {
  type Capabilities,
  isAlive,
  type Machine,
  type MachineDriver,
  type MachineSnapshot,
  NoSuchMachine,
  WrongState,
} from './machine-driver.ts';
import type { MachineSpec } from './machine-spec.ts';
import { NotSupported } from './not-supported.ts';

/**
 * Guests that the contract needs: one that does as it is told, one that ignores it, some that end by themselves, and one
 * that writes to its memory faster than the network between the nodes can send.
 */
export type GuestKind = 'plain' | 'deaf' | 'leaving' | 'crashing' | 'busy';

export interface DriversUnderTest {
  /** Two nodes that reach each other. */
  readonly here: MachineDriver;
  readonly there: MachineDriver;
  /** A machine with one disk named `root` that can be written. */
  readonly spec: (id: string, guest?: GuestKind) => MachineSpec;
  /** Lets time pass until something holds; fails where it never does. */
  readonly until: (check: () => Promise<boolean>) => Promise<void>;
  /** What the guest reads from and writes to its disk, where the test can make it. */
  readonly disk?: {
    read(driver: MachineDriver, id: string): Promise<string>;
    write(driver: MachineDriver, id: string, content: string): Promise<void>;
  };
  /** The same machine whose disk is a claim, where the test can make one. */
  readonly claimed?: { readonly claim: string; readonly spec: (id: string) => MachineSpec };
}

/** What every machine driver does. */
export function machineDriverContract(name: string, create: () => DriversUnderTest): void {
  describe(`${name} as a machine driver`, () => {
    powerContract(create);
    endContract(create);
    migrationContract(create);
    snapshotContract(create);
    hardwareContract(create);
  });
}

const stateOf = async (driver: MachineDriver, id: string) => (await driver.inspect(id))?.state;
const endOf = async (driver: MachineDriver, id: string) => (await driver.inspect(id))?.ended?.reason;

/** Runs a test where the driver can do something, and holds it to refusing by name where it cannot. */
async function whereAble(
  driver: MachineDriver,
  capability: keyof Capabilities,
  attempt: () => Promise<unknown>,
  check: () => Promise<void>,
): Promise<void> {
  if (driver.capabilities()[capability]) return await check();
  const refusal: unknown = await attempt().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(NotSupported);
}

function powerContract(create: () => DriversUnderTest): void {
  test('a machine that was started runs, and is there to be seen', async () => {
    const { here, spec } = create();
    const started = await here.start(spec('m'));
    expect(started).toMatchObject({ state: 'running', spec: { id: 'm' } });
    expect((await here.list()).map((machine) => machine.spec.id)).toEqual(['m']);
    expect(await here.inspect('m')).toMatchObject({ state: 'running', startedAt: started.startedAt });
    await here.remove('m');
  });

  test('starting a machine again does not make a second one', async () => {
    const { here, spec } = create();
    const first = await here.start(spec('m'));
    const again = await here.start(spec('m'));
    expect(again.startedAt).toBe(first.startedAt);
    expect(await here.list()).toHaveLength(1);
    await here.remove('m');
  });

  test('what has ended does not start again', async () => {
    const { here, spec } = create();
    await here.start(spec('m'));
    await here.kill('m', 'for the test');
    await expect(here.start(spec('m'))).rejects.toBeInstanceOf(WrongState);
    await here.remove('m');
    expect(await here.start(spec('m'))).toMatchObject({ state: 'running' });
    await here.remove('m');
  });

  test('a machine can be made ready without running', async () => {
    const { here, spec } = create();
    expect(await here.start({ ...spec('m'), startPaused: true })).toMatchObject({ state: 'paused' });
    await here.resume('m');
    expect(await stateOf(here, 'm')).toBe('running');
    await here.remove('m');
  });

  test('a machine stands still and goes on as asked, however often', async () => {
    const { here, spec } = create();
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

  test.each(['reset', 'softReboot'] as const)('a %s leaves the machine the same', async (how) => {
    const { here, spec } = create();
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

  test('an id that is not there is refused by name', async () => {
    const { here } = create();
    expect(await here.inspect('nobody')).toBeUndefined();
    for (const attempt of [
      () => here.stop('nobody', 0),
      () => here.pause('nobody'),
      () => here.cancelMigration('nobody'),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(NoSuchMachine);
    }
    await here.kill('nobody', 'no matter');
    await here.remove('nobody');
  });

  test('listeners are told of what changes, after it has changed, until they stop listening', async () => {
    const { here, spec } = create();
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

function endContract(create: () => DriversUnderTest): void {
  test('a guest that is asked to shut down ends the machine, and it is known why', async () => {
    const { here, spec, until } = create();
    await here.start(spec('m'));
    await here.stop('m', 60_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Stopped');
    await here.remove('m');
    expect(await here.list()).toEqual([]);
  });

  test('a guest that does not listen loses its power when its time is over', async () => {
    const { here, spec, until } = create();
    await here.start(spec('m', 'deaf'));
    await here.stop('m', 2_000);
    expect(await stateOf(here, 'm')).toBe('stopping');
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Killed');
    await here.remove('m');
  });

  test('of two deadlines the earlier holds', async () => {
    const { here, spec, until } = create();
    await here.start(spec('m', 'deaf'));
    await here.stop('m', 3_600_000);
    await here.stop('m', 1_000);
    await here.stop('m', 3_600_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    await here.remove('m');
  });

  test('a guest that is paused is let go on to shut down', async () => {
    const { here, spec, until } = create();
    await here.start({ ...spec('m'), startPaused: true });
    await here.stop('m', 60_000);
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe('Stopped');
    await here.remove('m');
  });

  test('killing is at once, and twice is as good as once', async () => {
    const { here, spec } = create();
    await here.start(spec('m', 'deaf'));
    await here.kill('m', 'the first reason');
    await here.kill('m', 'the second reason');
    expect((await here.inspect('m'))?.ended).toMatchObject({ reason: 'Killed', message: 'the first reason' });
    await expect(here.pause('m')).rejects.toBeInstanceOf(WrongState);
    await here.remove('m');
  });

  test.each([
    ['leaving', 'GuestShutdown'],
    ['crashing', 'Crashed'],
  ] as const)('a %s guest ends its machine, and it is known how', async (guest, reason) => {
    const { here, spec, until } = create();
    await here.start(spec('m', guest));
    await until(async () => (await stateOf(here, 'm')) === 'ended');
    expect(await endOf(here, 'm')).toBe(reason);
    await here.remove('m');
  });
}

function migrationContract(create: () => DriversUnderTest): void {
  test('a migrated machine ends here and goes on there, and never runs on both', async () => {
    const { here, there, spec, until } = create();
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

  test('a migration that is given up leaves the machine where it is, and nothing at the target', async () => {
    const { here, there, spec } = create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await here.migrate('m', { uid: 'u', address, bandwidth: 1 });
    await expect(here.migrate('m', { uid: 'v', address })).rejects.toBeInstanceOf(WrongState);
    await here.cancelMigration('m');
    expect(await here.inspect('m')).toMatchObject({ state: 'running', migration: { uid: 'u', state: 'cancelled' } });
    expect(isAlive(await there.inspect('m'))).toBe(false);
    await here.cancelMigration('m');
    await Promise.all([here.remove('m'), there.remove('m')]);
  });

  test('a migration fails, and the machine goes on, when the target goes away', async () => {
    const { here, there, spec, until } = create();
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
  ] as const)('a busy guest arrives with %o, and it is known what that took', async (how, mode) => {
    const { here, there, spec, until } = create();
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

  test('nothing is sent to where nobody waits for it', async () => {
    const { here, there, spec } = create();
    if (!here.capabilities().migration) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await expect(here.migrate('m', { uid: 'another', address })).rejects.toBeInstanceOf(WrongState);
    await there.remove('m');
    await expect(here.migrate('m', { uid: 'u', address })).rejects.toBeInstanceOf(WrongState);
    expect(await stateOf(here, 'm')).toBe('running');
    await here.remove('m');
  });

  test('a machine that is stopped while it is sent ends here and nowhere goes on', async () => {
    const { here, there, spec, until } = create();
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

const MARK = { uid: 'restore-1', on: [] };
const PLAIN = { memory: false, quiesce: false };
const bytesOf = ({ disks }: MachineSnapshot) => disks.reduce((sum, { bytes }) => sum + bytes, 0);

function snapshotContract(create: () => DriversUnderTest): void {
  test('a snapshot brings back what was on the disk, whatever became of those before it', async () => {
    const { here, spec, disk } = create();
    await here.start(spec('m'));
    await whereAble(
      here,
      'snapshots',
      () => here.snapshot('m', PLAIN),
      async () => {
        await disk?.write(here, 'm', 'before');
        const first = await here.snapshot('m', PLAIN);
        expect(first.disks.map(({ name }) => name)).toEqual(['root']);
        await disk?.write(here, 'm', 'after');
        const second = await here.snapshot('m', { ...PLAIN, below: first });
        await here.restore('m', first, MARK);
        if (disk !== undefined) expect(await disk.read(here, 'm')).toBe('before');
        const [rebased] = await here.deleteSnapshot(first, { above: [second] });
        if (disk !== undefined) expect(await disk.read(here, 'm')).toBe('before');
        await here.restore('m', rebased ?? second, { ...MARK, uid: 'restore-2' });
        if (disk !== undefined) expect(await disk.read(here, 'm')).toBe('after');
      },
    );
    await here.remove('m');
  });

  test('a snapshot takes the room of what is not in the one below it', async () => {
    const { here, spec, disk } = create();
    if (!here.capabilities().snapshots || disk === undefined) return;
    await here.start(spec('m'));
    await disk.write(here, 'm', 'something');
    const first = await here.snapshot('m', PLAIN);
    expect(bytesOf(first)).toBeGreaterThan(0);
    const same = await here.snapshot('m', { ...PLAIN, below: first });
    expect(bytesOf(same)).toBe(0);
    const [rebased] = await here.deleteSnapshot(first, { above: [same] });
    expect(bytesOf(rebased ?? same)).toBe(bytesOf(first));
    await here.remove('m');
  });

  test('the disks of a machine that is off can be kept and brought back', async () => {
    const { here, spec, disk, claimed, until } = create();
    if (!here.capabilities().snapshots || claimed === undefined || disk === undefined) return;
    const off = { namespace: spec('m').namespace, disks: [{ name: 'root', claim: claimed.claim }] };
    const run = async (id: string, deed: () => Promise<unknown>) => {
      await here.start(claimed.spec(id));
      const done = await deed();
      await here.stop(id, 60_000);
      await until(async () => (await stateOf(here, id)) === 'ended');
      await here.remove(id);
      return done;
    };
    await run('first', () => disk.write(here, 'first', 'before'));
    const kept = await here.snapshot(off, { memory: true, quiesce: true });
    expect(kept.memory).toBeUndefined();
    await run('second', () => disk.write(here, 'second', 'after'));
    await here.restore(off, kept, MARK);
    expect(await run('third', () => disk.read(here, 'third'))).toBe('before');
    await run('fourth', () => disk.write(here, 'fourth', 'later'));
    // The same restore asked for once more: it has been done.
    await here.restore(off, kept, MARK);
    expect(await run('fifth', () => disk.read(here, 'fifth'))).toBe('later');
  });

  test('memory that was kept is the size of the machine, and its guest is quiet where it can be', async () => {
    const { here, spec } = create();
    if (!here.capabilities().memorySnapshots) return;
    await here.start(spec('m'));
    const kept = await here.snapshot('m', { memory: true, quiesce: true });
    expect(kept).toMatchObject({ quiesced: true, memory: { bytes: spec('m').memoryBytes } });
    expect((await here.snapshot('m', PLAIN)).quiesced).toBe(false);
    await here.remove('m');
  });

  test('a machine that is being sent elsewhere is not kept, and goes on', async () => {
    const { here, there, spec } = create();
    const { migration, snapshots } = here.capabilities();
    if (!migration || !snapshots) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await here.migrate('m', { uid: 'u', address, bandwidth: 1 });
    await expect(here.snapshot('m', PLAIN)).rejects.toBeInstanceOf(WrongState);
    expect(await here.inspect('m')).toMatchObject({ state: 'running', migration: { state: 'active' } });
    await Promise.all([here.remove('m'), there.remove('m')]);
  });

  test('a machine that is not there is not kept', async () => {
    const { here } = create();
    if (!here.capabilities().snapshots) return;
    await expect(here.snapshot('nobody', PLAIN)).rejects.toBeInstanceOf(NoSuchMachine);
  });
}

function hardwareContract(create: () => DriversUnderTest): void {
  test('a machine grows up to its maxima and no further', async () => {
    const { here, spec } = create();
    const { memoryBytes, cpu } = spec('m');
    await here.start({ ...spec('m'), maxSockets: cpu.sockets + 1, maxMemoryBytes: memoryBytes * 2 });
    const grow = () => here.resize('m', { sockets: cpu.sockets + 1, memoryBytes: memoryBytes * 2 });
    await whereAble(here, 'resize', grow, async () => {
      await grow();
      expect((await here.inspect('m'))?.spec).toMatchObject({
        cpu: { sockets: cpu.sockets + 1 },
        memoryBytes: memoryBytes * 2,
      });
      await expect(here.resize('m', { sockets: cpu.sockets + 2 })).rejects.toBeInstanceOf(WrongState);
      await expect(here.resize('m', { memoryBytes: memoryBytes * 2 + 1 })).rejects.toBeInstanceOf(WrongState);
    });
    await here.remove('m');
  });

  test('network cards come and go', async () => {
    const { here, spec } = create();
    await here.start(spec('m'));
    const nic = { name: 'second', mac: '02:00:00:00:00:02', model: 'virtio' };
    await whereAble(
      here,
      'hotplugNics',
      () => here.attach('m', { kind: 'nic', nic }),
      async () => {
        await here.attach('m', { kind: 'nic', nic });
        await expect(here.attach('m', { kind: 'nic', nic })).rejects.toBeInstanceOf(WrongState);
        expect((await here.inspect('m'))?.spec.nics.map(({ name }) => name)).toContain('second');
        await here.detach('m', { kind: 'nic', name: 'second' });
        await expect(here.detach('m', { kind: 'nic', name: 'second' })).rejects.toBeInstanceOf(WrongState);
      },
    );
    await here.remove('m');
  });

  test.each(['console', 'vnc'] as const)('a %s opens, or is refused by name', async (what) => {
    const { here, spec } = create();
    await here.start(spec('m'));
    await whereAble(
      here,
      what,
      () => here.open('m', what),
      async () => {
        (await here.open('m', what)).destroy();
      },
    );
    await here.remove('m');
  });
}
