import { type ClaimedDisk, claimWords, type DiskOrigin } from '../disk/claimed-disk.ts';
import type { Disk } from './disk.ts';
import type { Checksum } from './image.ts';
import { DEFAULT_DISK_SIZE } from './template-defaults.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** Labels and annotations of claims. Each disk of a VM is a PersistentVolumeClaim. */
export const CLAIM_WORDS = claimWords('hypersdk.io');

type Spec = VirtualMachine['spec'];

/** Returns the claim of a disk. No other object has the same name. */
export function claimName(machine: string, disk: string): string {
  return `${machine}-${disk}`;
}

/** Returns the disks of a VM, including those of its template. A VM without disks gets one for its image. */
export function claimedDisks(machine: string, { disks, image }: Pick<Spec, 'disks' | 'image'>): ClaimedDisk<Disk>[] {
  const all = disks ?? (image === undefined ? [] : [ROOT]);
  const first = all.toSorted((a, b) => orderOf(a) - orderOf(b))[0];
  return all.map((disk, i) => {
    const origin = originOf(disk) ?? (disk === first ? imageOf(image) : undefined);
    return {
      disk,
      claim: claimName(machine, disk.name),
      ...(origin === undefined ? {} : { origin }),
      originField: originField(disk, i),
    };
  });
}

const ROOT: Disk = { name: 'root', size: DEFAULT_DISK_SIZE, storageClass: 'standard', type: 'disk' };

const orderOf = ({ bootOrder = Number.MAX_SAFE_INTEGER }: Disk) => bootOrder;

function originField({ source }: Disk, i: number): string {
  if (source === undefined) return 'spec.image';
  return `spec.disks[${i}].source${source.pvc === undefined ? '' : '.pvc'}`;
}

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
