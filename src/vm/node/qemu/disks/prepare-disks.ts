import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseQuantity, value } from '#platform/base/quantity';
import { MachineStartError } from '../../machine-driver.ts';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import type { SecretReader } from '../../secret-reader.ts';
import type { PreparedDisk } from '../command/qemu-host.ts';
import { isoImage } from '../seed/iso-image.ts';
import type { LocalImages } from './local-images.ts';
import { configDriveSeed, noCloudSeed } from './seed-files.ts';
import { volumeKindOf } from './volume-kind.ts';

const run = promisify(execFile);

/** Kinds of volumes that this driver can turn into a disk. */
const SUPPORTED: ReadonlySet<string> = new Set([
  'containerDisk',
  'emptyDisk',
  'cloudInitNoCloud',
  'cloudInitConfigDrive',
]);

/** Rejects a machine with volumes that this driver does not support, all of them in one error. */
function assertDisksSupported({ disks }: MachineSpec): void {
  const unsupported = disks.flatMap(unsupportedField);
  if (unsupported.length > 0) throw new NotSupportedError('qemu', unsupported.join('; '));
}

function unsupportedField(disk: MachineDisk): string[] {
  const kind = volumeKindOf(disk);
  if (!SUPPORTED.has(kind)) return [`volume ${disk.name}: ${kind}`];
  const source = disk.volume.cloudInitNoCloud ?? disk.volume.cloudInitConfigDrive ?? {};
  const secrets = Object.keys(source).filter((field) => field.endsWith('ecretRef'));
  return secrets.map((field) => `volume ${disk.name}: ${kind}.${field}`);
}

/** Sources of what disks are filled with. */
export interface DiskSources {
  readonly images: LocalImages;
  /** Secrets of this node's machines, such as credentials of registries. */
  readonly secrets: SecretReader;
}

/** Creates the disks of a machine in its directory. */
export async function prepareDisks(
  spec: MachineSpec,
  directory: string,
  sources: DiskSources,
): Promise<readonly PreparedDisk[]> {
  assertDisksSupported(spec);
  return await Promise.all(spec.disks.map((disk, at) => prepareDisk(disk, at, { spec, directory, ...sources })));
}

interface Preparation extends DiskSources {
  readonly spec: MachineSpec;
  readonly directory: string;
}

async function prepareDisk(disk: MachineDisk, at: number, given: Preparation): Promise<PreparedDisk> {
  const { spec, directory, images } = given;
  const { name, volume } = disk;
  const seed = noCloudSeed(disk, spec) ?? configDriveSeed(disk, spec);
  if (seed !== undefined) {
    const file = `seed${at}.iso`;
    await writeFile(join(directory, file), isoImage(seed.label, seed.files), { mode: 0o600 });
    return { name, file, format: 'raw', readonly: true };
  }
  const file = `disk${at}.qcow2`;
  if (volume.emptyDisk !== undefined) {
    const capacity = value(parseQuantity(volume.emptyDisk.capacity));
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', join(directory, file), `${capacity}`]);
    return { name, file, format: 'qcow2', readonly: false };
  }
  await createOverlay(volume.containerDisk?.image ?? '', join(directory, file), images);
  return { name, file, format: 'qcow2', readonly: disk.readonly };
}

/** Creates a disk over an image, which itself stays as it is. */
async function createOverlay(image: string, file: string, images: LocalImages): Promise<void> {
  const base = images.pathOf(image);
  if (base === undefined) throw new NotSupportedError('qemu', `image ${image}`, 'only images on this host can be used');
  if (!(await images.has(image))) {
    throw new MachineStartError(`image ${image} not found`, { hint: 'Build the demo guest: vimana image build' });
  }
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', base, '-F', 'raw', file]);
}
