import { ParseError } from './errors.ts';

export type IpFamily = 4 | 6;

/** IP address as a number, so that ranges are arithmetic. */
export interface IpAddress {
  readonly family: IpFamily;
  readonly value: bigint;
}

/** Returns the number of bits in an address of a family. */
export function addressBits(family: IpFamily): number {
  return family === 4 ? 32 : 128;
}

/** Parses an IPv4 or IPv6 address. A zone (fe80::1%eth0) and an octet with a leading zero are rejected. */
export function parseIp(text: string): IpAddress {
  const address = tryParseIp(text);
  if (address === undefined) throw new ParseError(`"${text}" is not an IP address`);
  return address;
}

/** Parses an IPv4 or IPv6 address, or returns undefined if the text is not an address. */
export function tryParseIp(text: string): IpAddress | undefined {
  const family = text.includes(':') ? 6 : 4;
  const value = family === 6 ? readIpv6(text) : readIpv4(text);
  return value === undefined ? undefined : { family, value };
}

function readIpv4(text: string): bigint | undefined {
  let value = 0;
  let octets = 0;
  for (let at = 0; at <= text.length; at++) {
    const start = at;
    let octet = 0;
    for (; at < text.length && text.charCodeAt(at) !== DOT; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) return undefined;
      octet = octet * 10 + digit;
    }
    // Some programs read 010 as eight, so neither reading is safe.
    const padded = at - start > 1 && text.charCodeAt(start) === ZERO;
    if (at === start || at - start > 3 || padded || octet > 255) return undefined;
    value = value * 256 + octet;
    octets++;
  }
  return octets === 4 ? BigInt(value) : undefined;
}

const DOT = '.'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);

function readIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [readGroups(halves[0] ?? '', halves.length === 1), readGroups(halves[1] ?? '', true)];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Parses groups of hexadecimal digits. The last two of an address may be written as an IPv4 address. */
function readGroups(text: string, isEnd: boolean): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const embedded = isEnd && last.includes('.') ? readIpv4(last) : undefined;
  const plain = embedded === undefined ? parts : parts.slice(0, -1);
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const groups = plain.map((group) => BigInt(`0x${group}`));
  return embedded === undefined ? groups : [...groups, embedded >> 16n, embedded & 0xffffn];
}

/** Formats an address. IPv6 uses the form that RFC 5952 recommends. */
export function formatIp({ family, value }: IpAddress): string {
  return family === 4 ? formatIpv4(value) : formatIpv6(value);
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

function formatIpv6(value: bigint): string {
  // An IPv4 address mapped into IPv6 keeps its dotted form.
  if (value >> 32n === 0xffffn) return `::ffff:${formatIpv4(value & 0xffffffffn)}`;
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** Finds the longest run of zero groups, the first one of equals. */
function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [i, group] of groups.entries()) {
    length = group === '0' ? length + 1 : 0;
    if (length > best.length) best = { start: i - length + 1, length };
  }
  return best;
}
