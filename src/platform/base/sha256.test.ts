import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex } from './bytes.ts';
import { sha256 } from './sha256.ts';

it('equals the digest of Node.js', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300, size: 'max' }), (text) => {
      expect(toHex(sha256(text))).toBe(createHash('sha256').update(text).digest('hex'));
    }),
    { examples: [[''], ['x'.repeat(55)], ['x'.repeat(56)], ['x'.repeat(64)]] },
  );
});
