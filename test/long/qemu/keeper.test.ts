import { mkdtemp, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hasQemu } from '#testing/programs';
import { isolatedLaunch } from '#vm/node/qemu/isolation/isolated-launch';
import { NO_ISOLATION } from '#vm/node/qemu/isolation/isolation';
import { spawnKeeper } from '#vm/node/qemu/keeper/spawn-keeper';
import { isRunning } from './is-running.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const textOf = (directory: string, name: string) => readFile(join(directory, name), 'utf8').catch(() => undefined);

const bare = isolatedLaunch({ isolation: NO_ISOLATION, bound: [] });
const launchOf = (qemu: readonly string[]) => ({ ...bare, qemu, cgroups: [] });

/** Runs a command under a keeper, as if it were QEMU. */
async function keep(command: readonly string[], deadline = 'never'): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vimana-keeper-'));
  await writeFile(join(directory, 'deadline'), `${deadline}\n`);
  await spawnKeeper(directory, launchOf(command));
  return directory;
}

const exitOf = async (directory: string) =>
  (await vi.waitUntil(async () => await textOf(directory, 'exit'), WAIT)).trim();

describe.skipIf(!hasQemu())('a keeper of a process', () => {
  it.each([0, 1, 3])('records the exit status %i', async (code) => {
    expect(await exitOf(await keep(['/bin/sh', '-c', `exit ${code}`]))).toBe(`${code}`);
  });

  it('fences a machine whose deadline has passed, in the time since the host booted', async () => {
    const uptime = Number.parseInt(await readFile('/proc/uptime', 'utf8'), 10);
    const directory = await keep(['sleep', '600'], `${uptime + 2}`);
    expect(await exitOf(directory)).toBe('fenced');
    const pid = Number(await textOf(directory, 'qemu.pid'));
    await vi.waitUntil(() => !isRunning(pid), WAIT);
  });

  it('fences a machine whose deadline cannot be read', async () => {
    expect(await exitOf(await keep(['sleep', '600'], ''))).toBe('fenced');
  });

  it('does not start a machine that another keeper runs, or that has ended', async () => {
    const directory = await keep(['sleep', '600']);
    await vi.waitUntil(async () => await textOf(directory, 'qemu.pid'), WAIT);
    const other = await spawnKeeper(directory, launchOf(['/bin/sh', '-c', 'touch second']));
    await vi.waitUntil(() => !other.isRunning(), WAIT);
    process.kill(Number(await textOf(directory, 'qemu.pid')), 'SIGTERM');
    expect(await exitOf(directory)).toBe('143');
    const late = await spawnKeeper(directory, launchOf(['/bin/sh', '-c', 'touch second']));
    await vi.waitUntil(() => !late.isRunning(), WAIT);
    expect(await textOf(directory, 'second')).toBeUndefined();
  });

  it('bounds the log of the serial console', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vimana-keeper-'));
    await writeFile(join(directory, 'deadline'), 'never\n');
    await writeFile(join(directory, 'serial.log'), '');
    // A sparse file of a GiB reads as a log that a guest has flooded.
    await truncate(join(directory, 'serial.log'), 2 ** 30);
    await spawnKeeper(directory, launchOf(['sleep', '600']));
    await vi.waitUntil(async () => (await stat(join(directory, 'serial.log'))).size === 0, WAIT);
    expect((await stat(join(directory, 'serial.old'))).size).toBe(2 ** 20);
    process.kill(Number(await vi.waitUntil(async () => await textOf(directory, 'pid'), WAIT)), 'SIGKILL');
  });

  it('needs at most 2 MB of its own memory', async () => {
    const directory = await keep(['sleep', '600']);
    const pid = Number(await vi.waitUntil(async () => await textOf(directory, 'pid'), WAIT));
    const sizes = (await readFile(`/proc/${pid}/smaps`, 'utf8')).matchAll(/^Private_\w+: +(\d+) kB$/gm);
    const privateKb = [...sizes].reduce((sum, [, size]) => sum + Number(size), 0);
    expect(privateKb).toBeLessThan(2048);
    process.kill(pid, 'SIGKILL');
  });
});
