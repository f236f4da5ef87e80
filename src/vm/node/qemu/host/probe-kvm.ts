import { spawn } from 'node:child_process';
import { access, constants, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { BOOTED_STATUS, bootSector, EXIT_PORT } from './boot-sector.ts';

/** Whether guests run with KVM, and why not. */
export interface KvmResult {
  readonly works: boolean;
  readonly message: string;
}

/** Identity of the host that a result holds for: another boot, kernel or QEMU may behave differently. */
interface KvmCache extends KvmResult {
  readonly bootId: string;
  readonly kernel: string;
  readonly qemu: string;
}

export interface KvmProbe {
  readonly binary: string;
  /** Version of QEMU. */
  readonly version: string;
  readonly bootId: string;
  /** File that keeps the result. */
  readonly cache: string;
  readonly clock: Clock;
  /** Machines have users of their own, so that only the group of the device gives access to it. */
  readonly ownUsers: boolean;
}

const DEVICE = '/dev/kvm';
/** KVM needs a fraction of a second, even in a VM. What takes longer is slower than emulation. */
const BOOT_TIMEOUT_MS = 4_000;

/** Finds out whether KVM runs guests by booting one, or from what was found out before. */
export async function probeKvm(probe: KvmProbe): Promise<KvmResult> {
  const unusable = await unusableDevice(probe.ownUsers);
  if (unusable !== undefined) return { works: false, message: unusable };
  const key = { bootId: probe.bootId, kernel: release(), qemu: probe.version };
  const known = await readCache(probe.cache);
  if (known !== undefined && known.bootId === key.bootId && known.kernel === key.kernel && known.qemu === key.qemu) {
    return { works: known.works, message: known.message };
  }
  const result = await bootGuest(probe, 'kvm');
  const text = JSON.stringify({ ...key, ...result } satisfies KvmCache);
  await writeFile(`${probe.cache}.tmp`, `${text}\n`, { mode: 0o600 });
  await rename(`${probe.cache}.tmp`, probe.cache);
  return result;
}

async function unusableDevice(ownUsers: boolean): Promise<string | undefined> {
  try {
    await access(DEVICE, constants.R_OK | constants.W_OK);
    const { mode } = await stat(DEVICE);
    const isOpen = (mode & 0o060) === 0o060 || (mode & 0o006) === 0o006;
    return ownUsers && !isOpen ? `${DEVICE} is accessible to its owner only (chmod 660 ${DEVICE})` : undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? `the host has no ${DEVICE}` : `${DEVICE} is not accessible to this user (add it to group kvm)`;
  }
}

/** Returns the group that must be given to machines with users of their own. */
export async function kvmGroup(): Promise<number> {
  return (await stat(DEVICE)).gid;
}

/** Boots a guest of one sector with an accelerator. */
export async function bootGuest(
  { binary, clock }: Pick<KvmProbe, 'binary' | 'clock'>,
  accelerator: 'kvm' | 'tcg',
): Promise<KvmResult> {
  const directory = await mkdtemp(join(tmpdir(), 'vimana-kvm-'));
  try {
    const file = join(directory, 'boot.raw');
    await writeFile(file, bootSector());
    return resultOf(await runQemu(binary, accelerator, file, clock));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function resultOf(status: number | 'timeout'): KvmResult {
  if (status === BOOTED_STATUS) return { works: true, message: 'a guest booted' };
  const message =
    status === 'timeout' ? `a guest did not boot within ${BOOT_TIMEOUT_MS} ms` : `QEMU failed (${status})`;
  return { works: false, message };
}

async function runQemu(binary: string, accel: string, file: string, clock: Clock): Promise<number | 'timeout'> {
  const drive = { driver: 'raw', 'node-name': 'boot', file: { driver: 'file', filename: file } };
  const args = [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-machine', 'pc', '-accel', accel, '-m', '64'],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    ...['-device', `isa-debug-exit,iobase=${EXIT_PORT},iosize=4`],
    ...['-blockdev', JSON.stringify(drive), '-device', 'ide-hd,drive=boot'],
  ];
  const child = spawn(binary, args, { stdio: 'ignore' });
  const { promise, resolve } = Promise.withResolvers<number | 'timeout'>();
  const timer = clock.timer(BOOT_TIMEOUT_MS, () => {
    child.kill('SIGKILL');
    resolve('timeout');
  });
  child.once('error', () => resolve(-1)).once('exit', (code) => resolve(code ?? -1));
  const status = await promise;
  timer.cancel();
  return status;
}

async function readCache(file: string): Promise<KvmCache | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KvmCache;
  } catch {
    return undefined;
  }
}
