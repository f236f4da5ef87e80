import type { Disk } from '#api/hypersdk/disk';
import type { Partially } from '#api/hypersdk/partial';
import { duplicate, type FieldError, index } from '#platform/base/field-error';
import { plausibleBytes } from '#vm/admission/amounts';
import { label, subdomain } from '#vm/admission/names';
import { repeats } from '#vm/admission/repeats';
import { containerImage, httpAddress, s3Address } from './image.ts';

type Disks = readonly Partially<Disk>[] | undefined;

export function validateDisks(field: string, disks: Disks = []): FieldError[] {
  return [
    ...disks.flatMap((disk, i) => validateDisk(index(field, i), disk)),
    ...repeats(disks, (disk) => disk.bootOrder).map((i) =>
      duplicate(`${index(field, i)}.bootOrder`, disks[i]?.bootOrder),
    ),
  ];
}

function validateDisk(field: string, { name, size, storageClass, source }: Partially<Disk>): FieldError[] {
  return [
    ...label(`${field}.name`, name),
    ...plausibleBytes(`${field}.size`, size, 'disk'),
    ...subdomain(`${field}.storageClass`, storageClass),
    ...subdomain(`${field}.source.pvc`, source?.pvc),
    ...httpAddress(`${field}.source.http`, source?.http),
    ...s3Address(`${field}.source.s3`, source?.s3),
    ...containerImage(`${field}.source.containerDisk`, source?.containerDisk),
  ];
}

/** Returns the disks of a VM, each with the field that holds its size. */
export const sizedDisks = (field: string, disks: readonly Disk[] = []) =>
  disks.map(({ name, size }, i) => ({ field: `${index(field, i)}.size`, name, size }));
