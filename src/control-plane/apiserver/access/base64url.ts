import { fromBase64, toBase64Url } from '#platform/base/base64';

/** Decodes base64url as tokens have it: without padding, and in canonical form. Returns undefined for anything else. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  // The decoder accepts much more: padding, the other alphabet, and characters in neither.
  const bytes = fromBase64(text);
  return toBase64Url(bytes) === text ? bytes : undefined;
}
