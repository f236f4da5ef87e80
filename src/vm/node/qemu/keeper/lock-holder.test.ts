import { expect, it } from 'vitest';
import { isLocked } from './lock-holder.ts';

const LOCKS = `1: POSIX  ADVISORY  WRITE 1234 fe:00:100 0 EOF
2: FLOCK  ADVISORY  WRITE 2027 fe:00:200 0 EOF
3: FLOCK  ADVISORY  WRITE 2028 00:1a:300 0 EOF
`;
const VDA = 0xfe00;

it.each([
  [200, VDA, true],
  [100, VDA, false],
  [20, VDA, false],
  [200, 0x1a, false],
  [300, 0x1a, true],
])('finds the lock of a file by inode %i and device %i: %s', (ino, dev, locked) => {
  expect(isLocked(LOCKS, { ino, dev })).toBe(locked);
});
