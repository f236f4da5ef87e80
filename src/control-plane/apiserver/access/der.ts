/** Encodes ASN.1 in DER, as far as certificates need it. */

const CONSTRUCTED = 0x20;
const CONTEXT = 0x80;

export function sequence(...parts: Uint8Array[]): Buffer {
  return encodeTagged(0x30, ...parts);
}

export function set(...parts: Uint8Array[]): Buffer {
  return encodeTagged(0x31, ...parts);
}

/** Encodes a positive integer, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  // A leading one bit would mean a negative number.
  return (digits[0] ?? 0) >= 0x80 ? encodeTagged(0x02, Uint8Array.of(0), digits) : encodeTagged(0x02, digits);
}

export function boolean(value: boolean): Buffer {
  return encodeTagged(0x01, Uint8Array.of(value ? 0xff : 0));
}

/** Encodes an object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encodeTagged(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

export function octets(...content: Uint8Array[]): Buffer {
  return encodeTagged(0x04, ...content);
}

/** Encodes a bit string, the last `unused` bits of which do not count. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return encodeTagged(0x03, Uint8Array.of(unused), content);
}

/** Encodes flags by number, without trailing zeros, as DER requires for named bits. */
export function namedBits(numbers: readonly number[]): Buffer {
  const last = Math.max(-1, ...numbers);
  const bytes = new Uint8Array(Math.floor(last / 8) + 1);
  for (const number of numbers) {
    const at = number >> 3;
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> (number & 7));
  }
  return bits(bytes, last < 0 ? 0 : 7 - (last & 7));
}

export function utf8(text: string): Buffer {
  return encodeTagged(0x0c, Buffer.from(text, 'utf8'));
}

/** Encodes a time in seconds; certificates write years up to 2049 with two digits. */
export function time(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  return text < '2050' ? encodeTagged(0x17, Buffer.from(text.slice(2))) : encodeTagged(0x18, Buffer.from(text));
}

/** Encodes an explicitly tagged field. */
export function explicit(number: number, ...content: Uint8Array[]): Buffer {
  return encodeTagged(CONTEXT | CONSTRUCTED | number, ...content);
}

/** Encodes an implicitly tagged field. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return encodeTagged(CONTEXT | number, content);
}

function encodeTagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Uint8Array.from([tag, ...encodedLength(length)]), ...parts]);
}

function encodedLength(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
