import { describe, expect, it } from 'vitest';
import type { GuestDisk } from '#api/disk/contents';
import { diskDifference } from './guest-disks.ts';

const GIB = 2 ** 30;
const disk = (claim: string, gib?: number): GuestDisk => (gib === undefined ? { claim } : { claim, bytes: gib * GIB });

describe('a guest finds its disks', () => {
  it.each<[string, GuestDisk[], GuestDisk[], string | undefined]>([
    ['as it left them', [disk('root', 1), disk('data', 2)], [disk('data', 2), disk('root', 1)], undefined],
    ['as far as their sizes are known', [disk('root')], [disk('root', 2)], undefined],
    ['without one', [disk('root', 1), disk('data', 2)], [disk('root', 1)], 'lacks the disk data, which it had then'],
    ['with another', [disk('root', 1)], [disk('root', 1), disk('d9', 1)], 'has the disk d9, which it had not then'],
    ['larger', [disk('root', 1)], [disk('root', 2)], 'has 2048Mi on the disk root, and had 1024Mi then'],
    [
      'all otherwise',
      [disk('root', 1), disk('data', 1)],
      [disk('root', 2), disk('d9', 1)],
      'lacks the disk data, which it had then, has the disk d9, which it had not then, has 2048Mi on the disk root, and had 1024Mi then',
    ],
  ])('%s', (_how, then, now, expected) => {
    expect(diskDifference(then, now)).toBe(expected);
  });
});
