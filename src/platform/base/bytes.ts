/** Bytes without Node.js' Buffer, which a browser lacks. */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Number of characters that one call can take as arguments on every engine. */
const ARGUMENTS = 8192;

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Decodes UTF-8. Invalid bytes become the replacement character, and a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Compares two byte strings for sorting: below zero if `a` comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return (a[i] as number) < (b[i] as number) ? -1 : 1;
  return Math.sign(a.length - b.length);
}

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** Returns a text with one character per byte, which is Latin-1. */
export function binaryText(bytes: Uint8Array): string {
  if (bytes.length <= ARGUMENTS) return String.fromCharCode(...bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS));
  }
  return text;
}

/** Returns the bytes of a text that has one character per byte. */
export function binaryBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
