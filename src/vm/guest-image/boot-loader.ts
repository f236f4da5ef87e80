import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BootLoader } from './boot-disk.ts';

const run = promisify(execFile);

/** Builds GRUB with its configuration, from the packages grub-common and grub-pc-bin that were unpacked to `root`. */
export async function createBootLoader(root: string, config: string, modules: readonly string[]): Promise<BootLoader> {
  const directory = join(root, 'usr/lib/grub/i386-pc');
  const [configFile, core] = [join(root, 'grub.cfg'), join(root, 'core.img')];
  await writeFile(configFile, config);
  const args = ['-O', 'i386-pc', '-d', directory, '-p', '(hd0,msdos1)/', '-c', configFile, '-o', core];
  await run(join(root, 'usr/bin/grub-mkimage'), [...args, ...modules]);
  return { boot: await readFile(join(directory, 'boot.img')), core: await readFile(core) };
}
