import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { VimanaError } from '#platform/base/errors';

const run = promisify(execFile);
const KERNEL = 'linux-image-cloud-amd64';
/** Packages beside the kernel that the guest is made of, without the libraries that they need. */
const PACKAGES = [
  'busybox-static',
  'dropbear-bin',
  'grub-common',
  'grub-pc-bin',
  'openssh-sftp-server',
  'qemu-guest-agent',
] as const;
/** Packages of which the guest contains programs that need shared libraries. */
const LINKED = ['dropbear-bin', 'openssh-sftp-server', 'qemu-guest-agent'] as const;

/** Downloads the packages of the guest and unpacks them into a directory. Needs no root permissions. */
export async function unpackGuestPackages(directory: string): Promise<void> {
  const kernel = (await dependencies([KERNEL], directory)).find((name) => name.startsWith('linux-image-'));
  if (kernel === undefined) throw packageError(`the package ${KERNEL} is not in the package lists`);
  await unpackPackages([kernel, ...PACKAGES, ...(await libraryPackages(directory))], directory);
}

/** Downloads packages and unpacks them into a directory. */
export async function unpackPackages(names: readonly string[], directory: string): Promise<void> {
  await runTool('apt-get', ['download', '-q', ...names], directory);
  for (const file of await readdir(directory)) {
    if (file.endsWith('.deb')) await runTool('dpkg-deb', ['-x', file, '.'], directory);
  }
}

/** Returns the packages of libraries that the programs of the guest depend on, directly or not. */
async function libraryPackages(directory: string): Promise<string[]> {
  const found = new Set<string>();
  for (let pending: readonly string[] = LINKED; pending.length > 0; ) {
    const names = (await dependencies(pending, directory)).filter((name) => /^(?:lib|zlib)/.test(name));
    pending = [...new Set(names)].filter((name) => !found.has(name));
    for (const name of pending) found.add(name);
  }
  return [...found];
}

async function dependencies(packages: readonly string[], directory: string): Promise<string[]> {
  const { stdout } = await runTool('apt-cache', ['depends', ...packages], directory);
  return [...stdout.matchAll(/^ +Depends: ([a-z0-9][a-z0-9.+-]*)$/gm)].map(([, name = '']) => name);
}

async function runTool(tool: string, args: readonly string[], directory: string): Promise<{ stdout: string }> {
  try {
    return await run(tool, args, { cwd: directory, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
  } catch (error) {
    throw packageError(`${tool} ${args[0] ?? ''} failed`, error);
  }
}

function packageError(message: string, cause?: unknown): VimanaError {
  const hint = 'The guest is built from Debian packages: use a Debian host, and run "apt-get update" once.';
  return new VimanaError('GUEST_IMAGE', message, { cause, hint });
}
