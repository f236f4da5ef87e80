import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bootDisk } from './boot-disk.ts';
import { createBootLoader } from './boot-loader.ts';
import { unpackGuestPackages } from './debian-packages.ts';
import { libraryClosure } from './elf-libraries.ts';
import { GRUB_CONFIG, GUEST_MODULES, GUEST_PROGRAMS, type GuestParts, guestInitramfs } from './guest-files.ts';
import { type KernelModule, loadOrder } from './module-order.ts';
import { tarArchive } from './tar.ts';

/** GRUB modules that find and start the kernel in the archive on the partition. */
const GRUB_MODULES = ['biosdisk', 'part_msdos', 'tar', 'linux', 'normal', 'boot'];

/** Builds the demo guest as a raw disk that boots by itself, and returns its bytes. */
export async function buildGuestImage(): Promise<Buffer> {
  const root = await mkdtemp(join(tmpdir(), 'vimana-guest-'));
  try {
    await unpackGuestPackages(root);
    const files = await readdir(root, { recursive: true });
    const kernel = await readMatching(root, files, /^boot\/vmlinuz-/);
    const busybox = await readMatching(root, files, /^(?:usr\/)?bin\/busybox$/);
    const modules = await readModules(root, files);
    const partition = tarArchive([
      { path: 'vmlinuz', data: kernel },
      { path: 'initrd', data: guestInitramfs({ busybox, modules, ...(await readPrograms(root, files)) }) },
    ]);
    return bootDisk(await createBootLoader(root, GRUB_CONFIG, GRUB_MODULES), partition);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function readModules(root: string, files: readonly string[]): Promise<readonly KernelModule[]> {
  const paths = new Map(files.filter((file) => file.endsWith('.ko')).map((file) => [basename(file, '.ko'), file]));
  const found = new Map<string, KernelModule>();
  for (const [name, path] of paths) found.set(name, { name, data: await readFile(join(root, path)) });
  return loadOrder(GUEST_MODULES, (name) => found.get(name));
}

/** Reads the programs of the guest and the libraries that they need. */
async function readPrograms(
  root: string,
  files: readonly string[],
): Promise<Pick<GuestParts, 'programs' | 'libraries'>> {
  const programs: Record<string, Buffer> = {};
  for (const [path, place] of Object.entries(GUEST_PROGRAMS)) programs[place] = await readFile(join(root, path));
  const paths = new Map(files.filter((file) => /\.so(?:\.|$)/.test(file)).map((file) => [basename(file), file]));
  const find = (name: string) => {
    const path = paths.get(name);
    return path === undefined ? undefined : readFileSync(join(root, path));
  };
  const names = libraryClosure(Object.values(programs), find);
  return { programs, libraries: Object.fromEntries(names.map((name) => [name, find(name) ?? Buffer.alloc(0)])) };
}

async function readMatching(root: string, files: readonly string[], pattern: RegExp): Promise<Buffer> {
  const file = files.find((path) => pattern.test(path));
  if (file === undefined) throw new Error(`no file of the packages matches ${pattern.source}`);
  return await readFile(join(root, file));
}
