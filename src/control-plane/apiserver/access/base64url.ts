/** Decodes base64url as tokens have it: without padding, and in canonical form. Returns undefined for anything else. */
export function decodeBase64Url(text: string): Buffer | undefined {
  // Node.js accepts much more: padding, the other alphabet, and characters in neither.
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
