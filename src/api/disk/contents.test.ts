import { describe, expect, it } from 'vitest';
import {
  BLANK_DISK,
  bytesBeyond,
  copyOf,
  type DiskContents,
  formatContents,
  ownBytes,
  parseContents,
  restoredTo,
  retainedOf,
  withFile,
} from './contents.ts';

const file = (digest: string, bytes = 10) => ({ digest, bytes });
const disk: DiskContents = {
  image: { source: 'ubuntu.qcow2', checksum: 'sha256:1' },
  files: { '/a': file('a'), '/b': file('b', 5) },
  wrote: 'w',
};

describe('disk contents', () => {
  it('survive a round trip', () => {
    expect(parseContents(formatContents(disk))).toEqual(disk);
    expect(parseContents(undefined)).toBe(BLANK_DISK);
  });

  it.each(['', 'null', '{}', '{"files":3}', '{"files":{"/a":{"bytes":"1"}}}'])('cannot be read from %o', (text) => {
    expect(parseContents(text)).toBeUndefined();
  });

  it('use only the space of what differs from the parent', () => {
    expect(bytesBeyond(disk, undefined)).toBe(15);
    expect(bytesBeyond(disk, disk)).toBe(0);
    const changed = withFile(withFile(disk, '/b', file('other', 7)), '/a', undefined);
    expect(bytesBeyond(changed, disk)).toBe(7);
    expect(bytesBeyond(disk, changed)).toBe(15);
  });

  it('are the same in a clone, which uses no space if it is linked', () => {
    const full = copyOf(disk, 'claim default/web-root', false);
    expect(full).toEqual({ image: disk.image, files: disk.files, from: 'claim default/web-root' });
    const linked = copyOf(disk, 'claim default/web-root', true);
    expect(ownBytes(linked)).toBe(0);
    expect(bytesBeyond(linked, full)).toBe(0);
    const written = withFile(linked, '/a', file('own', 3));
    expect(ownBytes(written)).toBe(3);
    // A copy of a linked clone may be a full one.
    expect(ownBytes(copyOf(written, 'claim default/clone', false))).toBe(8);
  });

  it('are restored from a snapshot, but not the completed requests', () => {
    const kept = retainedOf(disk);
    expect(kept).not.toHaveProperty('wrote');
    const branch = { uid: 'r', on: [{ name: 's', uid: 'u' }] };
    const now = { ...withFile(disk, '/a', file('later')), wrote: 'later' };
    expect(restoredTo(now, kept, branch, undefined)).toEqual({ ...kept, wrote: 'later', branch });
  });
});
