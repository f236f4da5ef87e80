import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasQemu } from '#testing/programs';
import type { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { newRoot, openDriver, removeMachines, specOf } from './drivers.ts';
import { isRunning } from './is-running.ts';

const paused = (id: string) => ({ ...specOf(id), startPaused: true });
const WAIT = { timeout: 60_000, interval: 20 };
const pidIn = async (root: string, file: string) => Number(await readFile(join(root, 'm', file), 'utf8'));
const endOf = async (driver: QemuDriver) => (await driver.inspect('m'))?.ended;

afterEach(removeMachines);
const withQemu = describe.skipIf(!hasQemu());

withQemu('a driver that was opened again', () => {
  it('finds its machines as they were, and starts none of them twice', async () => {
    const root = await newRoot();
    const first = await openDriver(root);
    const { startedAt } = await first.start(paused('m'));
    const qemu = await pidIn(root, 'qemu.pid');
    first.close();
    const second = await openDriver(root);
    expect(await second.list()).toMatchObject([{ state: 'paused', startedAt, spec: { id: 'm' } }]);
    expect(await second.start(paused('m'))).toMatchObject({ startedAt });
    expect(await pidIn(root, 'qemu.pid')).toBe(qemu);
    await second.remove('m');
    expect(isRunning(qemu)).toBe(false);
    expect(await readdir(root)).toEqual([]);
  });

  it('reports why a machine ended while nobody watched', async () => {
    const root = await newRoot();
    const first = await openDriver(root);
    await first.start(paused('m'));
    const qemu = await pidIn(root, 'qemu.pid');
    first.close();
    process.kill(qemu, 'SIGKILL');
    await vi.waitUntil(() => !isRunning(qemu), WAIT);
    const second = await openDriver(root);
    expect(await endOf(second)).toMatchObject({ reason: 'Killed', message: 'QEMU was killed (signal 9)' });
  });

  it('carries out a shutdown that was requested before', async () => {
    const root = await newRoot();
    const first = await openDriver(root);
    await first.start(specOf('m', 'deaf'));
    await first.stop('m', 1_000);
    first.close();
    const second = await openDriver(root);
    await vi.waitUntil(async () => (await endOf(second)) !== undefined, WAIT);
    expect(await endOf(second)).toMatchObject({ reason: 'Killed', message: 'it did not shut down in time' });
  });

  it('takes machines of an earlier boot of the host to have ended', async () => {
    const root = await newRoot();
    const first = await openDriver(root);
    await first.start(paused('m'));
    first.close();
    const second = await openDriver(root, { bootId: 'another' });
    expect(await endOf(second)).toMatchObject({ reason: 'Killed', message: 'the host was restarted' });
  });

  it('leaves alone what belongs to another cluster, or to nobody', async () => {
    const root = await newRoot();
    const first = await openDriver(root);
    await first.start(paused('m'));
    await mkdir(join(root, 'stranger'));
    const other = await openDriver(root, { cluster: 'other' });
    expect(await other.list()).toEqual([]);
    expect((await readdir(root)).sort()).toEqual(['m', 'stranger']);
    expect(isRunning(await pidIn(root, 'qemu.pid'))).toBe(true);
  });
});

withQemu('a keeper', () => {
  it('takes its machine with it when it is killed', async () => {
    const root = await newRoot();
    const driver = await openDriver(root);
    await driver.start(paused('m'));
    const [keeper, qemu] = [await pidIn(root, 'pid'), await pidIn(root, 'qemu.pid')];
    process.kill(keeper, 'SIGKILL');
    await vi.waitUntil(async () => (await endOf(driver)) !== undefined, WAIT);
    expect(await endOf(driver)).toMatchObject({ reason: 'Killed', message: 'its keeper was killed' });
    expect(isRunning(qemu)).toBe(false);
  });

  it('shuts its guest down when it is asked to terminate', async () => {
    const root = await newRoot();
    const driver = await openDriver(root);
    await driver.start(specOf('m'));
    driver.close();
    process.kill(await pidIn(root, 'pid'), 'SIGTERM');
    const exit = () => readFile(join(root, 'm', 'exit'), 'utf8').catch(() => undefined);
    expect(await vi.waitUntil(exit, WAIT)).toBe('stopped\n');
    expect(await endOf(await openDriver(root))).toMatchObject({
      reason: 'Stopped',
      message: 'its keeper was asked to terminate',
    });
  });

  it('gives nothing of the environment and no secret to QEMU', async () => {
    const root = await newRoot();
    const driver = await openDriver(root);
    await driver.start(paused('m'));
    const environment = await readFile(`/proc/${await pidIn(root, 'qemu.pid')}/environ`, 'utf8');
    expect(environment.split('\0').filter((line) => line !== '' && !/^(?:PATH|PWD|OLDPWD|_)=/.test(line))).toEqual([]);
  });
});

withQemu('a deep root', () => {
  it('may be deeper than the path of a socket is long', async () => {
    const root = join(await newRoot(), 'd'.repeat(120));
    const driver = await openDriver(root);
    expect(await driver.start(paused('m'))).toMatchObject({ state: 'paused' });
  });
});
