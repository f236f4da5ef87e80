import { describe, expect, it } from 'vitest';
import type { GuestDisk } from '#api/disk/contents';
import { diskDifference } from './guest-disks.ts';

const GIB = 2 ** 30;
const disk = (claim: string, gib?: number): GuestDisk => (gib === undefined ? { claim } : { claim, bytes: gib * GIB });

describe('the difference between the disks of a snapshot and a VM', () => {
  it.each<[string, GuestDisk[], GuestDisk[], string | undefined]>([
    ['is none if they are the same', [disk('root', 1), disk('data', 2)], [disk('data', 2), disk('root', 1)], undefined],
    ['is none if a size is unknown', [disk('root')], [disk('root', 2)], undefined],
    ['is a missing disk', [disk('root', 1), disk('data', 2)], [disk('root', 1)], 'no longer has disk data'],
    [
      'is an additional disk',
      [disk('root', 1)],
      [disk('root', 1), disk('d9', 1)],
      'has disk d9, which is not in the snapshot',
    ],
    [
      'is another size',
      [disk('root', 1)],
      [disk('root', 2)],
      'has disk root with 2048Mi, which had 1024Mi in the snapshot',
    ],
    [
      'lists all of these',
      [disk('root', 1), disk('data', 1)],
      [disk('root', 2), disk('d9', 1)],
      'no longer has disk data, has disk d9, which is not in the snapshot, has disk root with 2048Mi, which had 1024Mi in the snapshot',
    ],
  ])('%s', (_how, then, now, expected) => {
    expect(diskDifference(then, now)).toBe(expected);
  });
});
