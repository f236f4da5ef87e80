import { describe, expect, it } from 'vitest';
import { BLANK_DISK } from '#api/disk/contents';
import { afterWrites, readGuestWrites } from './guest-write.ts';

const after = (...requests: string[]) =>
  requests.reduce((disk, request) => afterWrites(disk, readGuestWrites(request)), BLANK_DISK);

describe('what a guest is asked to write', () => {
  it('may be text, or so many bytes, or nothing any more', () => {
    expect(after('/f=a=b').files['/f']).toMatchObject({ text: 'a=b', bytes: 3 });
    expect(after('{"path":"/db","bytes":"2Gi"}').files['/db']).toMatchObject({ bytes: 2 ** 31 });
    expect(after('/f=a', '[{"path":"/f","delete":true},{"path":"/g","text":""}]').files).toEqual({
      '/g': expect.objectContaining({ text: '', bytes: 0 }),
    });
    expect(readGuestWrites('{"disk":"data","path":"/f","text":"x"}').writes[0]?.disk).toBe('data');
  });

  it('is written once', () => {
    const disk = after('/f=a');
    expect(afterWrites(disk, readGuestWrites('/f=a'))).toBe(disk);
    expect(after('/f=a', '/f=b', '/f=a').files['/f']?.text).toBe('a');
  });

  it('differs from all else where only its size is given', () => {
    const one = after('{"path":"/db","bytes":10}').files['/db'];
    const another = after('{"path":"/db","bytes":10,"id":"2"}').files['/db'];
    expect(one?.digest).not.toBe(another?.digest);
  });

  it.each([
    ['hello', 'it is neither path=text nor JSON'],
    ['f=x', 'a path begins with /'],
    ['{"path":', 'it is no JSON'],
    ['{"path":"/f"}', 'text, bytes or delete says what to write'],
    ['{"path":"/f","bytes":-1}', 'bytes cannot be less than nothing'],
    ['{"path":"/f","text":"x","disk":3}', 'a disk is given by its name'],
    [`/f=${'x'.repeat(5000)}`, 'text has at most 4096 characters; give bytes instead'],
  ])('cannot be %s', (request, why) => {
    expect(() => readGuestWrites(request)).toThrow(new RangeError(why));
  });
});
