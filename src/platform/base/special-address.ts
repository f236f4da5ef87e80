import { type Cidr, contains, parseCidr } from './cidr.ts';
import type { IpAddress } from './ip.ts';

/** Purpose of an address that is not an ordinary public one. */
export type SpecialUse =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'metadata'
  | 'documentation'
  | 'benchmarking'
  | 'multicast'
  | 'reserved';

/**
 * IANA registries of special-purpose addresses, and metadata services of clouds at public addresses. The first block
 * that contains an address counts, so a part of a block is listed before the block.
 */
const BLOCKS: readonly (readonly [block: string, use: SpecialUse])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.100.100.200/32', 'metadata'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'metadata'],
  ['169.254.169.254/32', 'metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.192/32', 'metadata'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['2001:2::/48', 'benchmarking'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', 'reserved'],
  ['2620:4f:8000::/48', 'reserved'],
  ['3fff::/20', 'documentation'],
  ['fd00:ec2::254/128', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
];

const SPECIAL: readonly (readonly [block: Cidr, use: SpecialUse])[] = BLOCKS.map(([block, use]) => [
  parseCidr(block),
  use,
]);

/**
 * Blocks of IPv6 addresses whose last 32 bits are the IPv4 address that is reached: mapped, translated, and by NAT64.
 */
const CARRIES_IPV4 = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(parseCidr);
/** Block of all public IPv6 addresses. The rest is special or unassigned. */
const GLOBAL_UNICAST = parseCidr('2000::/3');

/** Returns the special use of an address, or undefined if it is an ordinary public one. */
export function specialUse(address: IpAddress): SpecialUse | undefined {
  const reached = withoutCarrier(address);
  const found = SPECIAL.find(([block]) => contains(block, reached))?.[1];
  if (found !== undefined || reached.family === 4) return found;
  return contains(GLOBAL_UNICAST, reached) ? undefined : 'reserved';
}

/** Returns the IPv4 address that an IPv6 address carries, otherwise the address itself. */
export function withoutCarrier(address: IpAddress): IpAddress {
  if (!CARRIES_IPV4.some((block) => contains(block, address))) return address;
  return { family: 4, value: address.value & 0xffff_ffffn };
}

export function isLoopbackAddress(address: IpAddress): boolean {
  return specialUse(address) === 'loopback';
}
