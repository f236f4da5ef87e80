import { BlockList } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressCount,
  broadcastAddress,
  type Cidr,
  contains,
  firstHost,
  formatCidr,
  lastHost,
  networkAddress,
  overlaps,
  parseCidr,
  tryParseCidr,
} from './cidr.ts';
import { ParseError } from './errors.ts';
import { addressBits, formatIp, type IpAddress, parseIp } from './ip.ts';

const ipOf = (family: 4 | 6): fc.Arbitrary<IpAddress> =>
  fc.bigInt({ min: 0n, max: 2n ** BigInt(addressBits(family)) - 1n }).map((value) => ({ family, value }));
const cidrOf = (family: 4 | 6): fc.Arbitrary<Cidr> =>
  fc.record({ address: ipOf(family), prefix: fc.integer({ min: 0, max: addressBits(family) }) });
const anyCidr = fc.constantFrom(4 as const, 6 as const).chain(cidrOf);

describe('a CIDR block', () => {
  test.each([
    ['10.1.2.3/8', '10.0.0.0', '10.255.255.255', '10.0.0.1', '10.255.255.254', 2n ** 24n],
    ['192.168.1.0/24', '192.168.1.0', '192.168.1.255', '192.168.1.1', '192.168.1.254', 256n],
    ['192.0.2.5/31', '192.0.2.4', '192.0.2.5', '192.0.2.4', '192.0.2.5', 2n],
    ['192.0.2.5/32', '192.0.2.5', '192.0.2.5', '192.0.2.5', '192.0.2.5', 1n],
    ['0.0.0.0/0', '0.0.0.0', '255.255.255.255', '0.0.0.1', '255.255.255.254', 2n ** 32n],
    ['fd00::1/64', 'fd00::', 'fd00::ffff:ffff:ffff:ffff', 'fd00::1', 'fd00::ffff:ffff:ffff:ffff', 2n ** 64n],
    ['::1/128', '::1', '::1', '::1', '::1', 1n],
    ['fd00::1/127', 'fd00::', 'fd00::1', 'fd00::', 'fd00::1', 2n],
  ])('%s spans %s to %s, hosts %s to %s', (text, network, broadcast, first, last, count) => {
    const cidr = parseCidr(text);
    expect([networkAddress(cidr), broadcastAddress(cidr), firstHost(cidr), lastHost(cidr)].map(formatIp)).toEqual([
      network,
      broadcast,
      first,
      last,
    ]);
    expect(addressCount(cidr)).toBe(count);
    expect(formatCidr(cidr)).toBe(text);
  });

  test.each([
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
  ])('cannot be parsed from %j', (text) => {
    expect(tryParseCidr(text)).toBeUndefined();
    expect(() => parseCidr(text)).toThrow(ParseError);
    expect(() => parseCidr(text)).toThrow(`"${text}" is not a CIDR`);
  });

  test('is the same after it was formatted and parsed', () => {
    fc.assert(
      fc.property(anyCidr, (cidr) => {
        expect(parseCidr(formatCidr(cidr))).toEqual(cidr);
      }),
    );
  });

  test('contains its first and last address, and not their outer neighbors', () => {
    fc.assert(
      fc.property(anyCidr, (cidr) => {
        const [first, last] = [networkAddress(cidr), broadcastAddress(cidr)];
        expect([cidr.address, first, last, firstHost(cidr), lastHost(cidr)].every((ip) => contains(cidr, ip))).toBe(
          true,
        );
        if (first.value > 0n) expect(contains(cidr, { ...first, value: first.value - 1n })).toBe(false);
        const max = 2n ** BigInt(addressBits(last.family)) - 1n;
        if (last.value < max) expect(contains(cidr, { ...last, value: last.value + 1n })).toBe(false);
        expect(last.value - first.value + 1n).toBe(addressCount(cidr));
      }),
    );
  });

  test('contains the same addresses as a BlockList of Node.js', () => {
    const pair = fc.constantFrom(4 as const, 6 as const).chain((family) => fc.tuple(cidrOf(family), ipOf(family)));
    fc.assert(
      fc.property(pair, fc.boolean(), fc.nat(300), ([cidr, random], near, distance) => {
        const end = broadcastAddress(cidr);
        const max = 2n ** BigInt(addressBits(end.family)) - 1n;
        const value = end.value + BigInt(distance) - 150n;
        const ip = near && value >= 0n && value <= max ? { ...end, value } : random;
        const family = ip.family === 4 ? 'ipv4' : 'ipv6';
        const list = new BlockList();
        list.addSubnet(formatIp(networkAddress(cidr)), cidr.prefix, family);
        expect(contains(cidr, ip)).toBe(list.check(formatIp(ip), family));
      }),
    );
  });

  test('overlaps another exactly if their ranges do, in either order', () => {
    const small = fc.record({
      address: fc.integer({ min: 0, max: 63 }).map((n): IpAddress => ({ family: 4, value: BigInt(n) })),
      prefix: fc.integer({ min: 24, max: 32 }),
    });
    fc.assert(
      fc.property(fc.oneof(anyCidr, small), fc.oneof(anyCidr, small), (a, b) => {
        const [aFirst, aLast] = [networkAddress(a), broadcastAddress(a)];
        const [bFirst, bLast] = [networkAddress(b), broadcastAddress(b)];
        const meet = aFirst.family === bFirst.family && aFirst.value <= bLast.value && bFirst.value <= aLast.value;
        expect(overlaps(a, b)).toBe(meet);
        expect(overlaps(b, a)).toBe(meet);
      }),
      { numRuns: 300 },
    );
  });

  test('contains no address of the other family', () => {
    expect(contains(parseCidr('::/0'), parseIp('10.0.0.1'))).toBe(false);
    expect(contains(parseCidr('0.0.0.0/0'), parseIp('::ffff:10.0.0.1'))).toBe(false);
    expect(overlaps(parseCidr('::/0'), parseCidr('0.0.0.0/0'))).toBe(false);
  });
});
