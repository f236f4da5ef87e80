import type { PlainDisk } from '#api/disk/claimed-disk';
import { type FieldError, forbidden } from '#platform/base/field-error';
import { isLess } from './amounts.ts';

type Sized = Pick<PlainDisk, 'name' | 'size'>;

/** Disk with the field that holds its size. */
interface RequestedSize extends Sized {
  readonly field: string;
}

/**
 * Validates that a disk does not shrink, since no storage can take back what a guest may have written to. A disk that
 * never got the requested size (`small`) has the size that is reported for it.
 */
export function validateGrowth(
  disks: readonly RequestedSize[],
  before: readonly Sized[] = [],
  small: readonly Sized[] = [],
): FieldError[] {
  if (before.length === 0) return [];
  const sizes = new Map([...before, ...small].map((disk) => [disk.name, disk.size]));
  return disks.flatMap(({ field, name, size }) =>
    isLess(size, sizes.get(name))
      ? [forbidden(field, `a disk cannot shrink: ${name} has ${sizes.get(name)}, not ${size}`)]
      : [],
  );
}
