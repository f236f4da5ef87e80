import { describe, expect, it } from 'vitest';
import type { GuestDisk } from '#api/disk/contents';
import { diskDifference } from './guest-disks.ts';

const GIB = 2 ** 30;
const disk = (claim: string, gib?: number): GuestDisk => (gib === undefined ? { claim } : { claim, bytes: gib * GIB });

describe('a guest finds its disks', () => {
  it.each<[string, GuestDisk[], GuestDisk[], string | undefined]>([
    ['as it left them', [disk('root', 1), disk('data', 2)], [disk('data', 2), disk('root', 1)], undefined],
    ['as far as their sizes are known', [disk('root')], [disk('root', 2)], undefined],
    ['without one', [disk('root', 1), disk('data', 2)], [disk('root', 1)], 'no longer has disk data'],
    ['with another', [disk('root', 1)], [disk('root', 1), disk('d9', 1)], 'has disk d9, which is not in the snapshot'],
    ['larger', [disk('root', 1)], [disk('root', 2)], 'has disk root with 2048Mi, which had 1024Mi in the snapshot'],
    [
      'all otherwise',
      [disk('root', 1), disk('data', 1)],
      [disk('root', 2), disk('d9', 1)],
      'no longer has disk data, has disk d9, which is not in the snapshot, has disk root with 2048Mi, which had 1024Mi in the snapshot',
    ],
  ])('%s', (_how, then, now, expected) => {
    expect(diskDifference(then, now)).toBe(expected);
  });
});
