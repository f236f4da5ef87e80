import type { Disk } from './disk.ts';
import type { Checksum } from './image.ts';
import { USUAL_DISK_SIZE } from './inherit.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** How the disks of a machine are kept: one PersistentVolumeClaim each. */

/** On a machine, "true": its claims are nobody's and outlive it. */
export const RETAIN_DISKS = 'hypersdk.io/retain-disks';
/** On a machine: the access mode of claims that are made for it, where ReadWriteMany cannot be had of its storage. */
export const DISK_ACCESS_MODE = 'hypersdk.io/disk-access-mode';
/** On everything that is made for a machine: its name. */
export const MACHINE_LABEL = 'hypersdk.io/vm';

type Spec = VirtualMachine['spec'];

/** What a disk is filled with when it is made: an image, which is named and not fetched, or a copy of a claim. */
export type DiskOrigin =
  | { readonly image: string; readonly checksum?: string; readonly claim?: undefined }
  | { readonly claim: string; readonly image?: undefined };

/** A disk with all that its claim is made from. */
export interface ClaimedDisk {
  readonly disk: Disk;
  /** Of its claim. */
  readonly claim: string;
  /** Empty where absent. */
  readonly origin?: DiskOrigin;
  /** Where the spec says what it is filled with. */
  readonly originField: string;
}

/** The claim behind a disk, which is not of this name for anybody else. */
export function claimName(machine: string, disk: string): string {
  return `${machine}-${disk}`;
}

/** The disks of a machine, with all that its template gives it; without any of its own, one that its image is put on. */
export function claimedDisks(machine: string, { disks, image }: Pick<Spec, 'disks' | 'image'>): ClaimedDisk[] {
  const all = disks ?? (image === undefined ? [] : [ROOT]);
  const first = all.toSorted((a, b) => orderOf(a) - orderOf(b))[0];
  return all.map((disk, i) => {
    const origin = originOf(disk) ?? (disk === first ? imageOf(image) : undefined);
    return {
      disk,
      claim: claimName(machine, disk.name),
      ...(origin === undefined ? {} : { origin }),
      originField: disk.source === undefined ? 'spec.image' : `spec.disks[${i}].source`,
    };
  });
}

const ROOT: Disk = { name: 'root', size: USUAL_DISK_SIZE, storageClass: 'standard', type: 'disk' };

const orderOf = ({ bootOrder = Number.MAX_SAFE_INTEGER }: Disk) => bootOrder;

function originOf({ source }: Disk): DiskOrigin | undefined {
  if (source?.pvc !== undefined) return { claim: source.pvc };
  const image = source?.http ?? source?.s3 ?? source?.containerDisk;
  return image === undefined ? undefined : { image };
}

function imageOf(image: Spec['image']): DiskOrigin | undefined {
  if (image?.source === undefined) return undefined;
  const checksum = checksumText(image.checksum);
  return { image: image.source, ...(checksum === undefined ? {} : { checksum }) };
}

const checksumText = (checksum: Checksum | undefined) =>
  checksum?.type === undefined || checksum.value === undefined ? undefined : `${checksum.type}:${checksum.value}`;
