import { expect, test } from 'vitest';
import { InvalidStateError, MachineNotFoundError, type MachineSnapshot } from '../machine-driver.ts';
import { type CreateDrivers, stateOf, whereAble } from './drivers-under-test.fixture.ts';

const MARK = { uid: 'restore-1', on: [] };
const PLAIN = { memory: false, quiesce: false };
const bytesOf = ({ disks }: MachineSnapshot) => disks.reduce((sum, { bytes }) => sum + bytes, 0);

/** Tests that disks and memory can be captured and restored. */
export function snapshotContract(create: CreateDrivers): void {
  test('a snapshot restores the contents of the disk, even if earlier ones are deleted', async () => {
    const { here, spec, disk } = await create();
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

  test('a snapshot has the size of what its parent does not contain', async () => {
    const { here, spec, disk } = await create();
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

  test('the disks of a stopped machine can be saved and restored', async () => {
    const { here, spec, disk, claimed, until } = await create();
    if (!here.capabilities().snapshots || claimed === undefined || disk === undefined) return;
    const off = { namespace: spec('m').namespace, disks: [{ name: 'root', claim: claimed.claim }] };
    const run = async (id: string, action: () => Promise<unknown>) => {
      await here.start(claimed.spec(id));
      const done = await action();
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
    // A repeated restore has no further effect.
    await here.restore(off, kept, MARK);
    expect(await run('fifth', () => disk.read(here, 'fifth'))).toBe('later');
  });

  test('saved memory has the size of the machine, and its guest is frozen if possible', async () => {
    const { here, spec } = await create();
    if (!here.capabilities().memorySnapshots) return;
    await here.start(spec('m'));
    const kept = await here.snapshot('m', { memory: true, quiesce: true });
    expect(kept).toMatchObject({ quiesced: true, memory: { bytes: spec('m').memoryBytes } });
    expect((await here.snapshot('m', PLAIN)).quiesced).toBe(false);
    await here.remove('m');
  });

  test('a migrating machine cannot be saved, and keeps running', async () => {
    const { here, there, spec } = await create();
    const { migration, snapshots } = here.capabilities();
    if (!migration || !snapshots) return;
    await here.start(spec('m'));
    const { address } = await there.prepareIncoming(spec('m'), 'u');
    await here.migrate('m', { uid: 'u', address, bandwidth: 1 });
    await expect(here.snapshot('m', PLAIN)).rejects.toBeInstanceOf(InvalidStateError);
    expect(await here.inspect('m')).toMatchObject({ state: 'running', migration: { state: 'active' } });
    await Promise.all([here.remove('m'), there.remove('m')]);
  });

  test('a machine that does not exist cannot be saved', async () => {
    const { here } = await create();
    if (!here.capabilities().snapshots) return;
    await expect(here.snapshot('nobody', PLAIN)).rejects.toBeInstanceOf(MachineNotFoundError);
  });
}
