import { describe, expect, it } from 'vitest';
import { BLANK_DISK } from '#api/disk/contents';
import { afterWrites, readGuestWrites } from './guest-write.ts';

const after = (...requests: string[]) =>
  requests.reduce((disk, request) => afterWrites(disk, readGuestWrites(request)), BLANK_DISK);

describe('the writes of a guest', () => {
  it('may be a text, a number of bytes, or a deletion', () => {
    expect(after('/f=a=b').files['/f']).toMatchObject({ text: 'a=b', bytes: 3 });
    expect(after('{"path":"/db","bytes":"2Gi"}').files['/db']).toMatchObject({ bytes: 2 ** 31 });
    expect(after('/f=a', '[{"path":"/f","delete":true},{"path":"/g","text":""}]').files).toEqual({
      '/g': expect.objectContaining({ text: '', bytes: 0 }),
    });
    expect(readGuestWrites('{"disk":"data","path":"/f","text":"x"}').writes[0]?.disk).toBe('data');
  });

  it('are applied once', () => {
    const disk = after('/f=a');
    expect(afterWrites(disk, readGuestWrites('/f=a'))).toBe(disk);
    expect(after('/f=a', '/f=b', '/f=a').files['/f']?.text).toBe('a');
  });

  it('of the same size differ by their id', () => {
    const one = after('{"path":"/db","bytes":10}').files['/db'];
    const another = after('{"path":"/db","bytes":10,"id":"2"}').files['/db'];
    expect(one?.digest).not.toBe(another?.digest);
  });

  it.each([
    ['hello', 'it is neither path=text nor JSON'],
    ['f=x', 'the path must start with /'],
    ['{"path":', 'it is not valid JSON'],
    ['{"path":"/f"}', 'exactly one of text, bytes and delete must be set'],
    ['{"path":"/f","bytes":-1}', 'bytes must not be negative'],
    ['{"path":"/f","text":"x","disk":3}', 'the disk must be a name'],
    [`/f=${'x'.repeat(5000)}`, 'text can have at most 4096 characters; use bytes instead'],
  ])('cannot be %s', (request, why) => {
    expect(() => readGuestWrites(request)).toThrow(new RangeError(why));
  });
});
