import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { realClock } from '#platform/base/clock';
import { hasQemu } from '#testing/programs';
import { bootGuest, probeKvm } from '#vm/node/qemu/host/probe-kvm';
import { Cgroups } from '#vm/node/qemu/isolation/cgroups';
import { isolation, newRoot, openDriver, removeMachines, specOf } from './drivers.ts';
import { QEMU } from './guest.ts';
import { isRunning } from './is-running.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const nic = { name: 'default', mac: '02:00:00:00:00:2b', model: 'virtio', ip: '10.244.7.43' };
const paused = (id: string) => ({ ...specOf(id), nics: [nic], startPaused: true });
const pidIn = async (root: string, file: string) => Number(await readFile(join(root, 'm', file), 'utf8'));
const { user, network } = hasQemu() ? await isolation() : { user: 'none', network: 'private' };
const cgroups = await Cgroups.open(`probe-test-${process.pid}`);
const secret = 's3cret-of-a-user';

/** Returns the process IDs of a keeper and all its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(
    children
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((child) => familyOf(Number(child))),
  );
  return [pid, ...below.flat()];
}

/** Returns the inodes of TCP and UDP sockets that listen on the host. */
async function hostListeners(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [table, state] of [
    ['tcp', '0A'],
    ['tcp6', '0A'],
    ['udp', '07'],
    ['udp6', '07'],
  ] as const) {
    for (const line of (await readFile(`/proc/net/${table}`, 'utf8')).split('\n')) {
      const words = line.trim().split(/\s+/);
      if (words[3] === state) found.set(`socket:[${words[9]}]`, `${table} ${words[1]}`);
    }
  }
  return found;
}

async function socketsOf(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
}

afterEach(removeMachines);

describe.skipIf(!hasQemu())('a real machine', () => {
  it.skipIf(user === 'none')('has no privileges, and a network of its own', async () => {
    const root = await newRoot();
    await (await openDriver(root)).start(paused('m'));
    const pid = await pidIn(root, 'qemu.pid');
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(status).toMatch(`${set}:\t0000000000000000`);
    expect(status).toMatch('NoNewPrivs:\t1');
    expect(status).toMatch('Seccomp:\t2');
    if (user === 'uid') expect(status).toMatch(/^Uid:\t1[89]\d{8}\t/m);
    expect(await readlink(`/proc/${pid}/ns/net`)).not.toBe(await readlink('/proc/self/ns/net'));
    const listeners = await hostListeners();
    for (const each of await familyOf(await pidIn(root, 'pid'))) {
      expect((await socketsOf(each)).flatMap((socket) => listeners.get(socket) ?? [])).toEqual([]);
    }
  });

  it.skipIf(network !== 'internet')('takes its auxiliary processes with it', async () => {
    const root = await newRoot();
    await (await openDriver(root)).start(paused('m'));
    const family = await familyOf(await pidIn(root, 'pid'));
    const names = await Promise.all(family.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
    expect(names).toContain('slirp4netns\n');
    process.kill(await pidIn(root, 'pid'), 'SIGKILL');
    await vi.waitUntil(() => family.every((pid) => !isRunning(pid)), WAIT);
  });

  it('does not leave its secrets in arguments, records or logs', async () => {
    const root = await newRoot();
    const volume = { name: 'seed', cloudInitNoCloud: { userData: secret } };
    const { disks, ...spec } = paused('m');
    const seeded = disks.map((disk) => (disk.name === 'seed' ? { ...disk, volume } : disk));
    await (await openDriver(root)).start({ ...spec, disks: seeded });
    for (const pid of await familyOf(await pidIn(root, 'pid'))) {
      expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).not.toContain(secret);
    }
    for (const name of ['machine.json', 'qemu.log', 'serial.log']) {
      expect(await readFile(join(root, 'm', name), 'utf8')).not.toContain(secret);
    }
  });

  it.skipIf(cgroups.limitation !== undefined)('is limited, and ends for want of memory beyond that', async () => {
    const root = await newRoot();
    const driver = await openDriver(root);
    await driver.start(paused('m'));
    const record = JSON.parse(await readFile(join(root, 'm', 'machine.json'), 'utf8')) as { cgroups: string[] };
    const [memory = '', cpu = ''] = record.cgroups;
    for (const directory of [memory, cpu]) {
      const members = (await readFile(join(directory, 'cgroup.procs'), 'utf8')).trim().split('\n').map(Number);
      expect(members).toEqual(expect.arrayContaining(await familyOf(await pidIn(root, 'pid'))));
    }
    const isV1 = existsSync(join(memory, 'memory.usage_in_bytes'));
    const usage = Number(await readFile(join(memory, isV1 ? 'memory.usage_in_bytes' : 'memory.current'), 'utf8'));
    const limit = isV1 ? 'memory.limit_in_bytes' : 'memory.max';
    expect(Number(await readFile(join(memory, limit), 'utf8'))).toBe((128 + 8 + 256) * 2 ** 20);
    await writeFile(join(memory, limit), `${usage + 4 * 2 ** 20}`);
    await driver.resume('m').catch(() => undefined);
    await vi.waitUntil(async () => (await driver.inspect('m'))?.ended !== undefined, WAIT);
    expect((await driver.inspect('m'))?.ended).toMatchObject({ reason: 'OutOfMemory' });
    await driver.remove('m');
    expect([memory, cpu].filter((directory) => existsSync(directory))).toEqual([]);
  });
});

describe.skipIf(!hasQemu())('KVM', () => {
  it('is probed by booting a guest, which emulation runs', async () => {
    expect(await bootGuest({ binary: QEMU, clock: realClock }, 'tcg')).toEqual({
      works: true,
      message: 'a guest booted',
    });
  });

  it('is used only if a guest boots in time, which is found out once for a boot, kernel and QEMU', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vimana-kvm-'));
    const cache = join(directory, 'kvm.json');
    const probe = { binary: QEMU, version: '7.2', bootId: 'boot', clock: realClock, ownUsers: false, cache };
    const first = await probeKvm(probe);
    if (existsSync(cache)) {
      const known = JSON.parse(await readFile(cache, 'utf8')) as object;
      await writeFile(cache, JSON.stringify({ ...known, works: !first.works, message: 'cached' }));
      expect(await probeKvm(probe)).toEqual({ works: !first.works, message: 'cached' });
      expect(await probeKvm({ ...probe, bootId: 'other' })).toEqual(first);
    } else {
      expect(first).toMatchObject({ works: false, message: expect.stringContaining('/dev/kvm') });
    }
    await rm(directory, { recursive: true });
  });
});
