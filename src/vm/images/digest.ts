import { shownAddress } from '#platform/base/web-address';
import type { Problem } from '#vm/engine/dialect';

/** Image with its expected digest. */
export interface CheckedImage {
  readonly source: string;
  /** Algorithm, colon, hexadecimal digits. */
  readonly checksum: string;
}

/** Result of fetching an image: its digest in hexadecimal, or the reason of the failure. */
export type FetchResult = { readonly digest: string } | { readonly failure: string };

export function algorithmOf({ checksum }: Pick<CheckedImage, 'checksum'>): string {
  return checksum.slice(0, Math.max(0, checksum.indexOf(':')));
}

/**
 * Returns the problem of a fetched image, or undefined if the digest matches. The actual digest is not disclosed, since
 * permission to name an image does not include knowing its contents.
 */
export function faultOf({ source, checksum }: CheckedImage, fetched: FetchResult): Problem | undefined {
  const where = shownAddress(source);
  if ('failure' in fetched) {
    return { reason: 'ImageNotAccessible', message: `cannot download the image at ${where}: ${fetched.failure}` };
  }
  const found = `${algorithmOf({ checksum })}:${fetched.digest.toLowerCase()}`;
  const expected = checksum.toLowerCase();
  if (found === expected) return undefined;
  return { reason: MISMATCH, message: `the image at ${where} does not match its checksum ${expected}` };
}

export const MISMATCH = 'ChecksumMismatch';

/** Returns the delay before an image is fetched again after a number of failures in a row. */
export function retryMs(reason: string, failures: number): number {
  const { first, most: max } = reason === MISMATCH ? MISMATCH_BACK_OFF : UNREACHABLE_BACK_OFF;
  return Math.min(first * 2 ** (failures - 1), max);
}

/** An unreachable server comes back. A wrong file stays wrong until somebody changes it, and is large. */
const UNREACHABLE_BACK_OFF = { first: 10_000, most: 5 * 60_000 };
const MISMATCH_BACK_OFF = { first: 5 * 60_000, most: 60 * 60_000 };

export const keyOfImage = ({ source, checksum }: CheckedImage) => `${checksum} ${source}`;
