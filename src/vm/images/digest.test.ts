import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { faultOf, retryMs } from './digest.ts';

const source = 'https://ann:hidden@images.example.org/a.qcow2?signature=hidden';
const where = 'https://images.example.org/a.qcow2?...';
const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');

describe.each(['md5', 'sha256', 'sha512'])('an image with a %s', (algorithm) => {
  const checksum = `${algorithm}:${hash(algorithm, 'right')}`;

  it('matches its digest in any spelling', () => {
    const fetched = { digest: hash(algorithm, 'right') };
    expect(faultOf({ source, checksum }, fetched)).toBeUndefined();
    expect(faultOf({ source, checksum: `${algorithm}:${fetched.digest.toUpperCase()}` }, fetched)).toBeUndefined();
  });

  it('is rejected with another digest, without revealing that or the secrets of its address', () => {
    const digest = hash(algorithm, 'wrong');
    expect(faultOf({ source, checksum }, { digest })).toEqual({
      reason: 'ChecksumMismatch',
      message: `the image at ${where} does not match its checksum ${checksum}`,
    });
  });

  it('is rejected if only its beginning matches', () => {
    const digest = hash(algorithm, 'right');
    const fault = faultOf({ source, checksum: `${algorithm}:${digest.slice(0, -1)}` }, { digest });
    expect(fault).toMatchObject({ reason: 'ChecksumMismatch' });
  });

  it('is not accessible if it cannot be downloaded', () => {
    expect(faultOf({ source, checksum }, { failure: 'the server returned 404' })).toEqual({
      reason: 'ImageNotAccessible',
      message: `cannot download the image at ${where}: the server returned 404`,
    });
  });
});

it.each([
  ['ImageNotAccessible', 1, 10_000],
  ['ImageNotAccessible', 3, 40_000],
  ['ImageNotAccessible', 5000, 300_000],
  ['ChecksumMismatch', 1, 300_000],
  ['ChecksumMismatch', 2, 600_000],
  ['ChecksumMismatch', 5000, 3_600_000],
])('after %s for the %i. time, the next attempt is %i ms later', (reason, failures, ms) => {
  expect(retryMs(reason, failures)).toBe(ms);
});
