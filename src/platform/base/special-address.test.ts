import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cidr, networkAddress, parseCidr } from './cidr.ts';
import { addressBits, formatIp, parseIp } from './ip.ts';
import { isLoopbackAddress, type SpecialUse, specialUse } from './special-address.ts';

const USES: readonly (readonly [address: string, use: SpecialUse | undefined])[] = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['10.255.255.255', 'private'],
  ['11.0.0.0', undefined],
  ['100.63.255.255', undefined],
  ['100.64.0.0', 'shared'],
  ['100.100.100.200', 'metadata'],
  ['100.127.255.255', 'shared'],
  ['100.128.0.0', undefined],
  ['126.255.255.255', undefined],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['128.0.0.0', undefined],
  ['168.63.129.16', 'metadata'],
  ['168.63.129.17', undefined],
  ['169.254.169.254', 'metadata'],
  ['169.254.1.1', 'link-local'],
  ['172.15.255.255', undefined],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', undefined],
  ['192.0.0.192', 'metadata'],
  ['192.0.0.1', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', 'reserved'],
  ['192.168.255.255', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['198.20.0.0', undefined],
  ['203.0.113.7', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['8.8.8.8', undefined],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::2', 'reserved'],
  ['::7f00:1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:10.0.0.1', 'private'],
  ['::ffff:169.254.169.254', 'metadata'],
  ['::ffff:8.8.8.8', undefined],
  ['::ffff:0:127.0.0.1', 'loopback'],
  ['64:ff9b::127.0.0.1', 'loopback'],
  ['64:ff9b::a9fe:a9fe', 'metadata'],
  ['64:ff9b::8.8.8.8', undefined],
  ['64:ff9b:1::8.8.8.8', 'reserved'],
  ['100::1', 'reserved'],
  ['2001::1', 'reserved'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', 'reserved'],
  ['2606:4700::1111', undefined],
  ['3fff::1', 'documentation'],
  ['5f00::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'metadata'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
];

describe('an address', () => {
  it.each(USES)('%s has the special use %s', (text, use) => {
    expect(specialUse(parseIp(text))).toBe(use);
  });
});

/** Generates any address of a block. */
const within = (text: string) => {
  const block: Cidr = parseCidr(text);
  const { family, value } = networkAddress(block);
  const free = BigInt(addressBits(family) - block.prefix);
  return fc.bigInt({ min: 0n, max: (1n << free) - 1n }).map((host) => ({ family, value: value + host }));
};
const ipv4 = within('0.0.0.0/0');

describe('any address', () => {
  it.each([
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '224.0.0.0/3',
    '::/8',
    '4000::/2',
    '8000::/1',
  ])('of %s is special, unless it embeds a public one', (block) => {
    fc.assert(
      fc.property(within(block), (address) => {
        fc.pre(!formatIp(address).startsWith('::ffff:') && !formatIp(address).startsWith('64:ff9b::'));
        return specialUse(address) !== undefined;
      }),
    );
  });

  it.each(['::ffff:0:0', '::ffff:0:0:0', '64:ff9b::'])(
    'of IPv4 with the prefix %s has the same use as without',
    (prefix) => {
      const base = parseIp(prefix).value;
      fc.assert(
        fc.property(ipv4, ({ value }) => {
          expect(specialUse({ family: 6, value: base + value })).toBe(specialUse({ family: 4, value }));
        }),
      );
    },
  );

  it('keeps its use after it was formatted and parsed', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, within('::/0')), (address) => {
        expect(specialUse(parseIp(formatIp(address)))).toBe(specialUse(address));
      }),
    );
  });

  it('is loopback only in three blocks', () => {
    fc.assert(
      fc.property(fc.oneof(within('127.0.0.0/8'), within('::ffff:127.0.0.0/104')), (address) =>
        isLoopbackAddress(address),
      ),
    );
    expect(isLoopbackAddress(parseIp('::1'))).toBe(true);
    expect(isLoopbackAddress(parseIp('192.168.0.1'))).toBe(false);
  });
});
