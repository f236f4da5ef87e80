import { execFile } from 'node:child_process';
import { link } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { BaseImage } from '#vm/image-store/image-store';
import { MachineStartError } from '../../machine-driver.ts';

const run = promisify(execFile);

/** Creates a disk of a size. Only what is written to it takes room. */
export async function createBlankDisk(file: string, bytes: number): Promise<void> {
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', file, `${bytes}`]);
}

/**
 * Creates a disk over an image, which itself stays as it is. The image is linked beside the disk: it stays as long as
 * the disk does, whatever happens to the cache, and the disk names it without a path.
 */
export async function createOverlay(base: BaseImage, file: string, bytes?: number): Promise<void> {
  const name = await linkBase(base, dirname(file));
  const size = bytes === undefined ? [] : [`${bytes}`];
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', name, '-F', base.format, file, ...size]);
}

/** Links an image into a directory, and returns its name there. */
export async function linkBase({ path, id, format }: BaseImage, directory: string): Promise<string> {
  const name = `${id}.${format}`;
  try {
    await link(path, join(directory, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw missingImage(id);
    if (code !== 'EEXIST') throw error;
  }
  return name;
}

function missingImage(id: string): MachineStartError {
  const hint = 'Build the demo guest: vimana image build';
  return new MachineStartError(`image ${id} not found`, id === 'demo-guest' ? { hint } : {});
}
