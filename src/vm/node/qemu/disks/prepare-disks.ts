import { join } from 'node:path';
import { parseQuantity, value } from '#platform/base/quantity';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import type { NodeObjects } from '../../node-objects.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import type { PreparedDisk } from '../command/qemu-host.ts';
import { writeIgnition } from '../seed/ignition.ts';
import { readSeedContents, type SeedContents } from '../seed/seed-contents.ts';
import { writeSeed } from '../seed/write-seed.ts';
import { createBlankDisk, createOverlay } from './base-image.ts';
import type { ImageDisks } from './image-disks.ts';
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
  'sysprep',
  'configMap',
  'secret',
]);

/** Rejects a machine with volumes or credentials that this driver does not support, all of them in one error. */
function assertSupported({ disks, accessCredentials = [] }: MachineSpec): void {
  const unsupported = [...disks.flatMap(unsupportedVolume), ...accessCredentials.flatMap(unsupportedCredential)];
  if (unsupported.length > 0) throw new NotSupportedError('qemu', unsupported.join('; '));
}

function unsupportedVolume(disk: MachineDisk): string[] {
  const kind = volumeKindOf(disk);
  return SUPPORTED.has(kind) ? [] : [`volume ${disk.name}: ${kind}`];
}

type Credential = NonNullable<MachineSpec['accessCredentials']>[number];

function unsupportedCredential({ sshPublicKey, userPassword }: Credential, at: number): string[] {
  if (userPassword !== undefined) return [`accessCredentials[${at}]: userPassword`];
  const byGuestAgent = sshPublicKey?.propagationMethod.qemuGuestAgent !== undefined;
  return byGuestAgent ? [`accessCredentials[${at}]: sshPublicKey through qemuGuestAgent`] : [];
}

/** Sources of what disks are filled with. */
export interface DiskSources {
  readonly images: ImageDisks;
  /** Secrets and ConfigMaps of this node's machines. */
  readonly objects: NodeObjects;
}

/** Checks that all disks of a machine can be created. Throws if one cannot, or not yet. */
export async function requireDisks(spec: MachineSpec, { images, objects }: DiskSources): Promise<void> {
  assertSupported(spec);
  // An image is fetched even while a Secret is missing, which is reported first because only its user can help.
  const [seeds, fetched] = await Promise.allSettled([readSeedContents(spec, objects), images.require(spec)]);
  for (const check of [seeds, fetched]) if (check.status === 'rejected') throw check.reason;
}

/** Creates the disks of a machine in its directory. */
export async function prepareDisks(
  spec: MachineSpec,
  directory: string,
  sources: DiskSources,
): Promise<readonly PreparedDisk[]> {
  assertSupported(spec);
  const contents = await readSeedContents(spec, sources.objects);
  await writeIgnition(spec, directory);
  const given = { spec, directory, contents, ...sources };
  return await Promise.all(spec.disks.map((disk, at) => prepareDisk(disk, at, given)));
}

interface Preparation extends DiskSources {
  readonly spec: MachineSpec;
  readonly directory: string;
  readonly contents: SeedContents;
}

async function prepareDisk(disk: MachineDisk, at: number, given: Preparation): Promise<PreparedDisk> {
  const { spec, directory, images } = given;
  const { name, volume } = disk;
  const seed = await writeSeed(disk, at, given);
  if (seed !== undefined) return seed;
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
