import type { GuestDisk } from '#api/disk/contents';
import { parseQuantity, value } from '#platform/base/quantity';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';

/** How large the disk is that a claim holds; undefined while it has no volume. */
export function bytesOf({ status }: PersistentVolumeClaim): number | undefined {
  const capacity = status?.capacity?.['storage'];
  return capacity === undefined ? undefined : value(parseQuantity(capacity));
}

/**
 * In what the disks of a machine are others than those that its guest had when its memory was kept; undefined where a guest
 * would find its disks as it left them. A size that was not known then, or is not now, is not compared.
 */
export function diskDifference(then: readonly GuestDisk[], now: readonly GuestDisk[]): string | undefined {
  const before = new Map(then.map((disk) => [disk.claim, disk]));
  const after = new Map(now.map((disk) => [disk.claim, disk]));
  const differences = [
    ...then.filter(({ claim }) => !after.has(claim)).map(({ claim }) => `lacks the disk ${claim}, which it had then`),
    ...now.filter(({ claim }) => !before.has(claim)).map(({ claim }) => `has the disk ${claim}, which it had not then`),
    ...now.flatMap(({ claim, bytes }) => {
      const had = before.get(claim)?.bytes;
      if (had === undefined || bytes === undefined || had === bytes) return [];
      return [`has ${sizeText(bytes)} on the disk ${claim}, and had ${sizeText(had)} then`];
    }),
  ];
  return differences.length === 0 ? undefined : differences.join(', ');
}

const sizeText = (bytes: number) => `${Math.round(bytes / 2 ** 20)}Mi`;
