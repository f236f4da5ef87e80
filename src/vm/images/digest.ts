import { shownAddress } from '#platform/base/web-address';
import type { Problem } from '#vm/engine/dialect';

/** An image with the digest that it must have. */
export interface CheckedImage {
  readonly source: string;
  /** Algorithm, colon, hexadecimal digits. */
  readonly checksum: string;
}

/** What came of fetching an image: the digest that it has, in hexadecimal, or why it could not be had. */
export type FetchResult = { readonly digest: string } | { readonly failure: string };

export function algorithmOf({ checksum }: Pick<CheckedImage, 'checksum'>): string {
  return checksum.slice(0, Math.max(0, checksum.indexOf(':')));
}

/**
 * What is wrong with an image that was fetched; undefined where it is the right one. It is not told which digest was
 * found: whoever may name an image is not therefore to know what lies there.
 */
export function faultOf({ source, checksum }: CheckedImage, fetched: FetchResult): Problem | undefined {
  const where = shownAddress(source);
  if ('failure' in fetched) {
    return { reason: 'ImageNotAccessible', message: `the image at ${where} cannot be fetched: ${fetched.failure}` };
  }
  const found = `${algorithmOf({ checksum })}:${fetched.digest.toLowerCase()}`;
  const expected = checksum.toLowerCase();
  if (found === expected) return undefined;
  return { reason: MISMATCH, message: `the image at ${where} does not match its checksum ${expected}` };
}

export const MISMATCH = 'ChecksumMismatch';

/** How long to wait before an image is fetched once more, after so many attempts in a row were in vain. */
export function retryMs(reason: string, failures: number): number {
  const { first, most } = reason === MISMATCH ? CHANGED_AGAIN : THERE_AGAIN;
  return Math.min(first * 2 ** (failures - 1), most);
}

/** A server that is away comes back; a file that is wrong stays so until somebody changes it, and is large. */
const THERE_AGAIN = { first: 10_000, most: 5 * 60_000 };
const CHANGED_AGAIN = { first: 5 * 60_000, most: 60 * 60_000 };
