import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from './errors.ts';
import { isMulticastMac, parseMac, tryParseMac } from './mac.ts';

describe('a MAC address', () => {
  test.each([
    ['02:00:00:12:34:56', '02:00:00:12:34:56'],
    ['DE-AD-BE-EF-00-01', 'de:ad:be:ef:00:01'],
    ['de:AD:be:EF:00:01', 'de:ad:be:ef:00:01'],
  ])('%s is parsed as %s', (text, mac) => {
    expect(parseMac(text)).toBe(mac);
  });

  test.each([
    '',
    '02:00:00:12:34',
    '02:00:00:12:34:56:78',
    '02:00-00:12:34:56',
    '0200.0012.3456',
    '020000123456',
    '0g:00:00:00:00:00',
    ' 02:00:00:12:34:56',
    '2:0:0:12:34:56',
  ])('cannot be parsed from %j', (text) => {
    expect(tryParseMac(text)).toBeUndefined();
    expect(() => parseMac(text)).toThrow(ParseError);
    expect(() => parseMac(text)).toThrow(`"${text}" is not a MAC address`);
  });

  test('in its parsed form is parsed unchanged', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 6, maxLength: 6 }),
        fc.constantFrom(':', '-'),
        fc.boolean(),
        (bytes, part, upper) => {
          const text = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(part);
          const mac = parseMac(upper ? text.toUpperCase() : text);
          expect(parseMac(mac)).toBe(mac);
          expect(isMulticastMac(mac)).toBe(((bytes[0] ?? 0) & 1) === 1);
        },
      ),
    );
  });
});
