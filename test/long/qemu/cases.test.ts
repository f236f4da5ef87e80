import { execFileSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasQemu } from '#testing/programs';
import { type HostMachine, readHostMachines } from '#vm/node/qemu/host/host-machines';
import type { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { newRoot, openDriver, removeMachines, specOf } from './drivers.ts';
import { guestImage, QEMU } from './guest.ts';

const MIB = 2 ** 20;
const WAIT = { timeout: 120_000, interval: 50 };
const paused = (id: string) => ({ ...specOf(id), startPaused: true });
const endOf = async (driver: QemuDriver) => (await driver.inspect('m'))?.ended;
const running = (id: string, script: string) => ({ ...specOf(id), annotations: { script: `#!/bin/sh\n${script}\n` } });

afterEach(async () => {
  vi.unstubAllEnvs();
  await removeMachines();
});

describe.skipIf(!hasQemu())('a host with real machines', () => {
  it('may get another QEMU while guests run', async () => {
    const prefix = await mkdtemp(join(tmpdir(), 'vimana-upgrade-'));
    await chmod(prefix, 0o755);
    await mkdir(join(prefix, 'bin'));
    for (const name of ['share', 'lib']) await symlink(`/usr/${name}`, join(prefix, name));
    const binary = join(prefix, 'bin', 'qemu-system-x86_64');
    await copyFile(QEMU, binary);
    const host = { binary, accelerator: 'tcg', machineTypes: new Map([['q35', 'q35']]) } as const;
    const root = await newRoot();
    const first = await openDriver(root, { host });
    await first.start(paused('m'));
    first.close();
    await copyFile(QEMU, `${binary}.new`);
    await rename(`${binary}.new`, binary);
    const second = await openDriver(root, { host });
    expect(await readlink(`/proc/${await readFile(join(root, 'm', 'qemu.pid'), 'utf8').then(Number)}/exe`)).toContain(
      '(deleted)',
    );
    expect(await second.list()).toMatchObject([{ state: 'paused', spec: { id: 'm' } }]);
    await second.resume('m');
    expect(await second.start(paused('n'))).toMatchObject({ state: 'paused' });
    await rm(prefix, { recursive: true });
  });

  it('may delete its runtime directory, as happens at logout', async () => {
    const runtime = await newRoot();
    vi.stubEnv('XDG_RUNTIME_DIR', runtime);
    const root = await newRoot();
    const first = await openDriver(root);
    await first.start(paused('m'));
    expect(await readdir(runtime)).toEqual([]);
    await rm(runtime, { recursive: true });
    first.close();
    const second = await openDriver(root);
    await second.resume('m');
    expect(await second.list()).toMatchObject([{ state: 'running' }]);
  });

  it('does not block a guest that floods its console, and still shuts it down', async () => {
    const root = await newRoot();
    const driver = await openDriver(root);
    await driver.start(running('m', 'while :; do cat /proc/kallsyms; done >/dev/ttyS0'));
    await vi.waitUntil(async () => (await stat(join(root, 'm', 'serial.log'))).size > MIB, WAIT);
    await driver.stop('m', 60_000);
    await vi.waitUntil(async () => (await endOf(driver)) !== undefined, WAIT);
    expect(await endOf(driver)).toMatchObject({ reason: 'Stopped' });
  });

  it('gives its memory only once, however many instances share it', async () => {
    const roots = await Promise.all([newRoot(), newRoot()]);
    const isOwn = async ({ pid }: HostMachine) => {
      const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return roots.some((root) => directory.startsWith(root));
    };
    const hostMachines = async () => {
      const all = await readHostMachines();
      const own = await Promise.all(all.map(isOwn));
      return all.filter((_, at) => own[at]);
    };
    const shared = { capacityBytes: 128 * MIB, hostMachines };
    const [a, b] = await Promise.all(roots.map((root) => openDriver(root, shared)));
    if (a === undefined || b === undefined) throw new Error('there are no drivers');
    const results = await Promise.allSettled([a.start(paused('a')), b.start(paused('b'))]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const failure = results.find((result) => result.status === 'rejected');
    expect(failure?.reason).toMatchObject({ message: expect.stringContaining('the memory of this host is used up') });
    expect((await a.list()).length + (await b.list()).length).toBe(1);
  });
});

describe.skipIf(!hasQemu() || process.getuid?.() !== 0)('a user without privileges', () => {
  it('runs machines in user namespaces, and reaches their ports', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vimana-rootless-'));
    const image = join(directory, 'guest.raw');
    await copyFile(await guestImage(), image);
    execFileSync('chown', ['-R', '65534:65534', directory]);
    const script = join(import.meta.dirname, 'rootless.ts');
    const user = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const output = execFileSync('setpriv', [...user, process.execPath, script, join(directory, 'machines'), image], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: directory },
      timeout: 120_000,
    });
    expect(JSON.parse(output)).toEqual({
      isolation: 'namespace',
      hasOwnNetwork: true,
      capabilities: '0000000000000000',
      page: 'page of guest',
    });
    await rm(directory, { recursive: true });
  });
});
