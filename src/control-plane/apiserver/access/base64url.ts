/** Reads base64url as tokens have it: without padding, and in the one spelling that the bytes have. Undefined for others. */
export function decodeBase64Url(text: string): Buffer | undefined {
  // Node reads much more: padding, the other alphabet, and past what is in neither.
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
