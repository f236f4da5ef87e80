import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MachineStartError } from '../../machine-driver.ts';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { PreparedDisk } from '../command/qemu-host.ts';
import { isIsoName, isoImage } from './iso-image.ts';
import type { SeedContents } from './seed-contents.ts';
import { seedOf } from './seed-files.ts';

export interface SeedTarget {
  readonly spec: MachineSpec;
  /** Machine directory. */
  readonly directory: string;
  readonly contents: SeedContents;
}

/**
 * Writes the seed of a disk, which may contain secrets: it is for the owner only, and is deleted with the machine.
 * Returns undefined if the volume is of another kind.
 */
export async function writeSeed(disk: MachineDisk, at: number, target: SeedTarget): Promise<PreparedDisk | undefined> {
  const { spec, directory, contents } = target;
  const seed = seedOf(disk, spec, contents);
  if (seed === undefined) return undefined;
  const { label, files } = seed;
  const long = Object.keys(files).find((path) => !isIsoName(path));
  if (long !== undefined) throw new MachineStartError(`volume ${disk.name}: the name ${long} is too long for a file`);
  const file = `seed${at}.iso`;
  await writeFile(join(directory, file), isoImage(label, files), { mode: 0o600 });
  // QEMU has no read-only hard disk on SATA. The image belongs to this machine alone.
  const readonly = disk.target === 'cdrom' || disk.bus !== 'sata';
  return { name: disk.name, file, format: 'raw', readonly };
}
