import { binaryBytes, binaryText, decodeUtf8 } from './bytes.ts';

export function toBase64(bytes: Uint8Array): string {
  return btoa(binaryText(bytes));
}

/** Encodes with the alphabet of URLs, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Decodes base64 of either alphabet. Other characters are skipped, so a caller that must reject them checks first. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return binaryBytes(binaryFromBase64(text));
}

/** Decodes base64 of UTF-8. */
export function textFromBase64(text: string): string {
  return decodeUtf8(fromBase64(text));
}

/** Decodes base64 to a text with one character per byte, which is Latin-1. */
export function binaryFromBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return atob(base64Characters(text));
  }
}

/** Returns the number of bytes that a base64 text stands for, without decoding it. */
export function base64Length(text: string): number {
  let { length } = text;
  if (text.endsWith('==')) length -= 2;
  else if (text.endsWith('=')) length -= 1;
  return Math.floor((length * 3) / 4);
}

/** Drops what is not base64, everything after the padding, and a last character that is less than a byte. */
function base64Characters(text: string): string {
  const [content = ''] = text.split('=', 1);
  const kept = content
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  return kept.length % 4 === 1 ? kept.slice(0, -1) : kept;
}
