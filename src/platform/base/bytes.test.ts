import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Length, binaryFromBase64, fromBase64, textFromBase64, toBase64, toBase64Url } from './base64.ts';
import { binaryBytes, binaryText, compareBytes, concatBytes, decodeUtf8, encodeUtf8, toHex } from './bytes.ts';

const bytes = fc.uint8Array({ maxLength: 20_000, size: 'max' });

describe('bytes', () => {
  it('equal those of a Buffer of Node.js', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const buffer = Buffer.from(a);
        expect(toHex(a)).toBe(buffer.toString('hex'));
        expect(toBase64(a)).toBe(buffer.toString('base64'));
        expect(toBase64Url(a)).toBe(buffer.toString('base64url'));
        expect(decodeUtf8(a)).toBe(buffer.toString('utf8'));
        expect(binaryText(a)).toBe(buffer.toString('latin1'));
        expect(binaryBytes(binaryText(a))).toEqual(a);
        expect(Buffer.from(concatBytes([a, b]))).toEqual(Buffer.concat([a, b]));
        expect(compareBytes(a, b)).toBe(Buffer.compare(a, b));
      }),
      { numRuns: 30 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(Buffer.from(encodeUtf8(text))).toEqual(Buffer.from(text));
      }),
    );
  });

  it('keep a byte order mark', () => {
    expect(decodeUtf8(encodeUtf8('\ufeffa'))).toBe('\ufeffa');
  });
});

describe('base64', () => {
  it.each(['', 'YQ==', 'YWI', 'YQ==YQ==', 'YQ=YQ', 'Y Q-_', 'a', 'ab!c@d', 'YWJj\nZGVm', '====', 'YR=='])(
    'is decoded as by a Buffer: %j',
    (text) => {
      expect(Buffer.from(fromBase64(text))).toEqual(Buffer.from(text, 'base64'));
      expect(textFromBase64(text)).toBe(Buffer.from(text, 'base64').toString('utf8'));
      expect(binaryFromBase64(text)).toBe(Buffer.from(text, 'base64').toString('latin1'));
      expect(base64Length(text)).toBe(Buffer.byteLength(text, 'base64'));
    },
  );

  it('is decoded as by a Buffer, for any text', () => {
    const alphabet = fc.constantFrom(...'AZaz09+/-_\n !é');
    fc.assert(
      fc.property(fc.string({ unit: alphabet }), (text) => {
        expect(Buffer.from(fromBase64(text))).toEqual(Buffer.from(text, 'base64'));
      }),
    );
  });
});
