import type { Disk } from '../../api/hypersdk/disk.ts';
import type { Partially } from '../../api/hypersdk/partial.ts';
import { duplicate, type FieldError, forbidden, index } from '../../base/field-error.ts';
import { isLess, positiveQuantity } from '../amounts.ts';
import { label, subdomain } from '../names.ts';
import { repeats } from '../repeats.ts';
import { containerImage, httpAddress, s3Address } from './image.ts';

type Disks = readonly Partially<Disk>[] | undefined;

export function checkDisks(field: string, disks: Disks = []): FieldError[] {
  return [
    ...disks.flatMap((disk, i) => checkDisk(index(field, i), disk)),
    ...repeats(disks, (disk) => disk.bootOrder).map((i) =>
      duplicate(`${index(field, i)}.bootOrder`, disks[i]?.bootOrder),
    ),
  ];
}

function checkDisk(field: string, { name, size, storageClass, source }: Partially<Disk>): FieldError[] {
  return [
    ...label(`${field}.name`, name),
    ...positiveQuantity(`${field}.size`, size),
    ...subdomain(`${field}.storageClass`, storageClass),
    ...subdomain(`${field}.source.pvc`, source?.pvc),
    ...httpAddress(`${field}.source.http`, source?.http),
    ...s3Address(`${field}.source.s3`, source?.s3),
    ...containerImage(`${field}.source.containerDisk`, source?.containerDisk),
  ];
}

type Sized = Pick<Disk, 'name' | 'size'>;

/**
 * No storage can take back what a guest may have written to, so a disk only grows. One that never got what was asked for
 * has the size that is told of it.
 */
export function checkGrowth(
  field: string,
  disks: readonly Disk[] = [],
  before: readonly Sized[] = [],
  small: readonly Sized[] = [],
): FieldError[] {
  const sizes = new Map([...before, ...small].map((disk) => [disk.name, disk.size]));
  return disks.flatMap(({ name, size }, i) =>
    isLess(size, sizes.get(name))
      ? [forbidden(`${index(field, i)}.size`, `a disk cannot shrink: ${name} has ${sizes.get(name)}, not ${size}`)]
      : [],
  );
}
