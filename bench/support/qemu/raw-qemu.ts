import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { READY_LINE } from '#vm/guest-image/init-script';
import { waitForChange } from '#vm/node/qemu/directory/wait-for-change';
import { readBackingFile } from '#vm/node/qemu/isolation/backing-file';

const TIMEOUT_MS = 300_000;

/** Waits until a guest is ready, as its serial log shows. */
export async function waitForGuest(directory: string): Promise<void> {
  const isReady = async () => {
    const text = await readFile(join(directory, 'serial.log'), 'utf8').catch(() => '');
    return text.includes(READY_LINE) ? true : undefined;
  };
  const found = await waitForChange(directory, isReady, { clock: realClock, timeoutMs: TIMEOUT_MS });
  if (found === undefined) throw new Error(`the guest in ${directory} does not become ready`);
}

/** QEMU that is ready to be started as a machine was. */
export interface RawQemu {
  readonly command: readonly string[];
  readonly directory: string;
}

/** Copies the arguments of a running machine, and its disks as they were before its start. */
export async function copyMachine(machine: string): Promise<RawQemu> {
  const pid = (await readFile(join(machine, 'qemu.pid'), 'utf8')).trim();
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter((word) => word !== '');
  const directory = await mkdtemp(join(tmpdir(), 'vimana-raw-'));
  await copyDisks(machine, directory);
  return { command: words.filter((word) => word !== '-S'), directory };
}

/** Runs QEMU, and returns the milliseconds until its guest is ready. */
export async function measureRawQemu({ command, directory }: RawQemu): Promise<number> {
  const [binary = '', ...args] = command;
  const began = realClock.monotonic();
  const child = spawn(binary, args, { cwd: directory, stdio: 'ignore' });
  const exited = once(child, 'exit');
  try {
    await waitForGuest(directory);
    return realClock.monotonic() - began;
  } finally {
    child.kill('SIGKILL');
    await exited;
    await rm(directory, { recursive: true });
  }
}

/** Creates the same disks as they were before the first start. */
async function copyDisks(machine: string, directory: string): Promise<void> {
  await mkdir(join(directory, 'sockets'));
  await writeFile(join(directory, 'serial.log'), '');
  spawnSync('mkfifo', [join(directory, 'power.in'), join(directory, 'power.out')]);
  let bound = 0;
  for (const name of (await readdir(machine)).sort()) {
    if (name.endsWith('.iso')) await copyFile(join(machine, name), join(directory, name));
    if (!name.endsWith('.qcow2')) continue;
    const base = await readBackingFile(join(machine, name));
    if (base === undefined) throw new Error(`${name} has no backing file`);
    const overlay = ['create', '-q', '-f', 'qcow2', '-b', base.file, '-F', base.format, join(directory, name)];
    spawnSync('qemu-img', overlay);
    await symlink(base.file, join(directory, `image${bound++}`));
  }
}
