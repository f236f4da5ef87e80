import { expect, it } from 'vitest';
import { FileLog } from './log-stream.ts';

it('continues a log after a full disk, and says how many lines are missing', () => {
  let text = '';
  let space = 12;
  const log = new FileLog(7, (fd, bytes) => {
    expect(fd).toBe(7);
    const count = Math.min(space, bytes.length);
    if (count === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    text += bytes.toString('utf8', 0, count);
    space -= count;
    return count;
  });
  for (const line of ['first\n', 'a longer second\n', 'third\n']) log.write(line);
  expect(text).toBe('first\na long');
  space = 1_000;
  for (const line of ['fourth\n', 'fifth\n']) log.write(line);
  expect(text).toBe('first\na long\n2 lines of this log are missing: they could not be written\nfourth\nfifth\n');
});
