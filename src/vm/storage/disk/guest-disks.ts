import type { GuestDisk } from '#api/disk/contents';
import { parseQuantity, value } from '#platform/base/quantity';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';

/** Returns the size of the disk of a claim, or undefined while it has no volume. */
export function bytesOf({ status }: PersistentVolumeClaim): number | undefined {
  const capacity = status?.capacity?.['storage'];
  return capacity === undefined ? undefined : value(parseQuantity(capacity));
}

/**
 * Describes how the disks differ from those that the guest had when its memory was saved, or returns undefined if they
 * match. A size that is unknown then or now is not compared.
 */
export function diskDifference(then: readonly GuestDisk[], now: readonly GuestDisk[]): string | undefined {
  const before = new Map(then.map((disk) => [disk.claim, disk]));
  const after = new Map(now.map((disk) => [disk.claim, disk]));
  const differences = [
    ...then.filter(({ claim }) => !after.has(claim)).map(({ claim }) => `no longer has disk ${claim}`),
    ...now
      .filter(({ claim }) => !before.has(claim))
      .map(({ claim }) => `has disk ${claim}, which is not in the snapshot`),
    ...now.flatMap(({ claim, bytes }) => {
      const had = before.get(claim)?.bytes;
      if (had === undefined || bytes === undefined || had === bytes) return [];
      return [`has disk ${claim} with ${sizeText(bytes)}, which had ${sizeText(had)} in the snapshot`];
    }),
  ];
  return differences.length === 0 ? undefined : differences.join(', ');
}

const sizeText = (bytes: number) => `${Math.round(bytes / 2 ** 20)}Mi`;
