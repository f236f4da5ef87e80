import { type Cidr, contains, formatCidr, networkAddress, tryParseCidr } from '#platform/base/cidr';
import { formatIp, type IpAddress, tryParseIp } from '#platform/base/ip';
import { fn, type Library, method, typeConstant } from '../library.ts';
import { opaque } from '../types.ts';
import { EvaluationError, noSuchOverload, Opaque } from '../values.ts';
import { addressProblem, blockProblem } from './address-problems.ts';

const IP = opaque('net.IP');
const CIDR = opaque('net.CIDR');

const bytesOf = ({ family }: IpAddress): number => (family === 4 ? 4 : 16);
const wrapIp = (ip: IpAddress): Opaque => new Opaque(IP, ip, `${ip.family}:${ip.value}`, bytesOf(ip));
const wrapCidr = (cidr: Cidr): Opaque =>
  new Opaque(CIDR, cidr, `${formatIp(cidr.address)}/${cidr.prefix}`, Math.ceil(cidr.prefix / 8));
const ipOf = (value: Opaque): IpAddress => value.data as IpAddress;
const cidrOf = (value: Opaque): Cidr => value.data as Cidr;

/** Parses an address, or returns the problem with the text. */
function readIp(text: string): IpAddress | string {
  if (text.includes('%') && tryParseIp(text.slice(0, text.indexOf('%'))) !== undefined) {
    return `IP address ${JSON.stringify(text)} with zone value is not allowed`;
  }
  const ip = tryParseIp(text);
  if (ip === undefined)
    return `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${addressProblem(text)}`;
  return isMapped(ip) ? `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` : ip;
}

function isMapped({ family, value }: IpAddress): boolean {
  return family === 6 && value >> 32n === 0xffffn;
}

function parseIp(text: string): IpAddress {
  const ip = readIp(text);
  if (typeof ip === 'string') throw new EvaluationError(ip);
  return ip;
}

function readCidr(text: string): Cidr | string {
  const failed = 'network address parse error during conversion from string:';
  const cidr = tryParseCidr(text);
  if (cidr === undefined) return `${failed} ${failed} ${blockProblem(text)}`;
  return isMapped(cidr.address) ? `${failed} IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` : cidr;
}

/** Returns the parsed value. Text that is not an address matches no overload that takes an address. */
function assertRead<T>(read: T | string): T {
  if (typeof read === 'string') throw noSuchOverload();
  return read;
}

function parseCidr(text: string): Cidr {
  const cidr = readCidr(text);
  if (typeof cidr === 'string') throw new EvaluationError(cidr);
  return cidr;
}

/** Reports whether the first `bits` bits of an address are those of a prefix. */
function startsWith({ family, value }: IpAddress, bits: number, prefix4: bigint, prefix6: bigint): boolean {
  const width = family === 4 ? 32 : 128;
  return value >> BigInt(width - bits) === (family === 4 ? prefix4 : prefix6);
}

const isLoopback = (ip: IpAddress): boolean => (ip.family === 4 ? startsWith(ip, 8, 127n, 0n) : ip.value === 1n);
const isLinkLocalUnicast = (ip: IpAddress): boolean =>
  ip.family === 4 ? startsWith(ip, 16, 0xa9fen, 0n) : startsWith(ip, 10, 0n, 0xfe80n >> 6n);
const isLinkLocalMulticast = (ip: IpAddress): boolean =>
  ip.family === 4 ? startsWith(ip, 24, 0xe00000n, 0n) : (ip.value >> 112n) % 0x10n === 2n && ip.value >> 120n === 0xffn;
const isMulticast = (ip: IpAddress): boolean =>
  ip.family === 4 ? startsWith(ip, 4, 0xen, 0n) : startsWith(ip, 8, 0n, 0xffn);

function isGlobalUnicast(ip: IpAddress): boolean {
  const broadcast = ip.family === 4 && ip.value === 0xffffffffn;
  return ip.value !== 0n && !broadcast && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}

function holds(outer: Cidr, inner: Cidr): boolean {
  return inner.prefix >= outer.prefix && contains(outer, networkAddress(inner));
}

const ipTest = (name: string, test: (ip: IpAddress) => boolean) =>
  method(name, 'net.IP -> bool', (value: Opaque) => test(ipOf(value)));

export const ADDRESSES: Library = {
  constants: new Map([typeConstant(IP), typeConstant(CIDR)]),
  overloads: [
    fn('ip', 'string -> net.IP', (text: string) => wrapIp(parseIp(text))),
    fn('isIP', 'string -> bool', (text: string) => typeof readIp(text) !== 'string'),
    fn('ip.isCanonical', 'string -> bool', (text: string) => formatIp(parseIp(text)) === text),
    fn('string', 'net.IP -> string', (value: Opaque) => formatIp(ipOf(value))),
    method('family', 'net.IP -> int', (value: Opaque) => BigInt(ipOf(value).family)),
    ipTest('isUnspecified', (ip) => ip.value === 0n),
    ipTest('isLoopback', isLoopback),
    ipTest('isLinkLocalMulticast', isLinkLocalMulticast),
    ipTest('isLinkLocalUnicast', isLinkLocalUnicast),
    ipTest('isGlobalUnicast', isGlobalUnicast),
    fn('cidr', 'string -> net.CIDR', (text: string) => wrapCidr(parseCidr(text))),
    fn('isCIDR', 'string -> bool', (text: string) => typeof readCidr(text) !== 'string'),
    fn('string', 'net.CIDR -> string', (value: Opaque) => formatCidr(cidrOf(value))),
    method('containsIP', 'net.CIDR, net.IP -> bool', (a: Opaque, b: Opaque) => contains(cidrOf(a), ipOf(b))),
    method('containsIP', 'net.CIDR, string -> bool', (a: Opaque, b: string) =>
      contains(cidrOf(a), assertRead(readIp(b))),
    ),
    method('containsCIDR', 'net.CIDR, net.CIDR -> bool', (a: Opaque, b: Opaque) => holds(cidrOf(a), cidrOf(b))),
    method('containsCIDR', 'net.CIDR, string -> bool', (a: Opaque, b: string) =>
      holds(cidrOf(a), assertRead(readCidr(b))),
    ),
    method('ip', 'net.CIDR -> net.IP', (value: Opaque) => wrapIp(cidrOf(value).address)),
    method('masked', 'net.CIDR -> net.CIDR', (value: Opaque) => {
      const cidr = cidrOf(value);
      return wrapCidr({ address: networkAddress(cidr), prefix: cidr.prefix });
    }),
    method('prefixLength', 'net.CIDR -> int', (value: Opaque) => BigInt(cidrOf(value).prefix)),
  ],
};
