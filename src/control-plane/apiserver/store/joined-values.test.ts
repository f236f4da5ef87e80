import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { joinedValues } from './joined-values.ts';

it('returns the bytes of all values with commas between them, in short pieces', () => {
  const value = oneof(string({ unit: 'grapheme' }), constantFrom('{}', 'ü'.repeat(40_000), 'x'.repeat(70_000)));
  assert(
    property(array(value), (values) => {
      const entries = values.map((value, i) => ({ key: `/${i}`, value, revision: i, createRevision: i }));
      const pieces = [...joinedValues(entries)];
      expect(Buffer.concat(pieces).equals(Buffer.from(values.join(',')))).toBe(true);
      for (const piece of pieces) expect(piece.length).toBeLessThan(3 * 64 * 1024 + 80_000);
    }),
  );
});
