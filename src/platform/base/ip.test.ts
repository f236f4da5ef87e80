import { isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from './errors.ts';
import { addressBits, formatIp, type IpAddress, parseIp, tryParseIp } from './ip.ts';

const anyIp: fc.Arbitrary<IpAddress> = fc.constantFrom(4 as const, 6 as const).chain((family) => {
  const max = 2n ** BigInt(addressBits(family)) - 1n;
  return fc.bigInt({ min: 0n, max }).map((value) => ({ family, value }));
});

describe('an IP address', () => {
  test.each([
    ['0.0.0.0', 0n],
    ['10.0.0.1', 0x0a000001n],
    ['255.255.255.255', 0xffffffffn],
  ])('%s is the number %d', (text, value) => {
    expect(parseIp(text)).toEqual({ family: 4, value });
    expect(formatIp({ family: 4, value })).toBe(text);
  });

  test.each([
    ['::', '::'],
    ['::1', '::1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['2001:DB8::0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::ffff:192.0.2.128', '::ffff:192.0.2.128'],
    ['::ffff:c000:0280', '::ffff:192.0.2.128'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['fe80::', 'fe80::'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('%s is formatted as in RFC 5952: %s', (text, canonical) => {
    expect(formatIp(parseIp(text))).toBe(canonical);
  });

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.0.0.1',
    '01.2.3.4',
    '1.2.3.4 ',
    '1.2.3.-4',
    '0x1.2.3.4',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '12345::',
    'g::',
    'fe80::1%eth0',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3.256',
    '[::1]',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
  ])('cannot be parsed from %j', (text) => {
    expect(tryParseIp(text)).toBeUndefined();
    expect(() => parseIp(text)).toThrow(new ParseError(`"${text}" is not an IP address`));
  });

  test('is the same after it was formatted and parsed', () => {
    fc.assert(
      fc.property(anyIp, (ip) => {
        expect(parseIp(formatIp(ip))).toEqual(ip);
        expect(isIP(formatIp(ip))).toBe(ip.family);
      }),
    );
  });

  test('is parsed from the same texts as by Node.js, except for zones', () => {
    const piece = fc.constantFrom(':', '::', '.', '0', '1', '255', '256', 'f', 'ffff', '10', '00', 'g');
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.array(piece, { maxLength: 16 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        expect(tryParseIp(candidate)?.family ?? 0).toBe(isIP(candidate));
      }),
      { numRuns: 1000 },
    );
  });
});
