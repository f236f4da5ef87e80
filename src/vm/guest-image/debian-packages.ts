import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { VimanaError } from '#platform/base/errors';

const run = promisify(execFile);
const KERNEL = 'linux-image-cloud-amd64';
/** Packages beside the kernel that the guest is made of. */
const PACKAGES = ['busybox-static', 'grub-common', 'grub-pc-bin'] as const;

/** Downloads the packages of the guest and unpacks them into a directory. Needs no root permissions. */
export async function unpackGuestPackages(directory: string): Promise<void> {
  const { stdout } = await runTool('apt-cache', ['depends', KERNEL], directory);
  const kernel = /Depends: (linux-image-\S+)/.exec(stdout)?.[1];
  if (kernel === undefined) throw packageError(`the package ${KERNEL} is not in the package lists`);
  await runTool('apt-get', ['download', '-q', kernel, ...PACKAGES], directory);
  for (const file of await readdir(directory)) {
    if (file.endsWith('.deb')) await runTool('dpkg-deb', ['-x', file, '.'], directory);
  }
}

async function runTool(tool: string, args: readonly string[], directory: string): Promise<{ stdout: string }> {
  try {
    return await run(tool, args, { cwd: directory, env: { PATH: join('/usr/sbin:/usr/bin:/sbin:/bin') } });
  } catch (error) {
    throw packageError(`${tool} ${args[0] ?? ''} failed`, error);
  }
}

function packageError(message: string, cause?: unknown): VimanaError {
  const hint = 'The guest is built from Debian packages: use a Debian host, and run "apt-get update" once.';
  return new VimanaError('GUEST_IMAGE', message, { cause, hint });
}
