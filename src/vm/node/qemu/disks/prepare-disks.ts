import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseQuantity, value } from '#platform/base/quantity';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import type { SecretReader } from '../../secret-reader.ts';
import type { PreparedDisk } from '../command/qemu-host.ts';
import { isoImage } from '../seed/iso-image.ts';
import { createBlankDisk, createOverlay } from './base-image.ts';
import { type ImageDisks } from './image-disks.ts';
import { configDriveSeed, noCloudSeed } from './seed-files.ts';
import { volumeKindOf } from './volume-kind.ts';

/** Kinds of volumes that this driver can turn into a disk. */
const SUPPORTED: ReadonlySet<string> = new Set([
  'containerDisk',
  'persistentVolumeClaim',
  'dataVolume',
  'hostDisk',
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
  readonly images: ImageDisks;
  /** Secrets of this node's machines, such as credentials of registries. */
  readonly secrets: SecretReader;
}

/** Checks that all disks of a machine can be created. Throws if one cannot, or not yet. */
export async function requireDisks(spec: MachineSpec, { images }: DiskSources): Promise<void> {
  assertDisksSupported(spec);
  await images.require(spec);
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
    await createBlankDisk(join(directory, file), capacity);
    return { name, file, format: 'qcow2', readonly: false };
  }
  const kept = await images.linkKept(disk, at, given);
  if (kept !== undefined) return kept;
  await createOverlay(await images.baseOf(disk, spec), join(directory, file));
  return { name, file, format: 'qcow2', readonly: disk.readonly };
}
