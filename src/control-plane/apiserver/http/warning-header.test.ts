import fc from 'fast-check';
import { expect, it } from 'vitest';
import { warningHeader } from './warning-header.ts';

it('quotes each warning, and contains it once', () => {
  expect(warningHeader(['a "b" \\', 'c\nd', 'c\nd'])).toBe('299 - "a \\"b\\" \\\\", 299 - "c d"');
});

it('encodes non-ASCII characters as UTF-8', () => {
  expect(Buffer.from(warningHeader(['unknown field "日本"']), 'latin1').toString('utf8')).toBe(
    '299 - "unknown field \\"日本\\""',
  );
});

it('truncates warnings that are long in total', () => {
  const header = warningHeader(Array.from({ length: 50_000 }, (_, i) => `${i} ${'x'.repeat(1_000)}`));
  expect(header.length).toBeLessThan(5_000);
  expect(header.split(', 299')[0]).toHaveLength('299 - ""'.length + 256);
});

it('is a valid header for any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      expect(() => new Headers({ warning: warningHeader(texts) })).not.toThrow();
      // This is the check that Node.js makes of outgoing headers.
      // oxlint-disable-next-line no-control-regex -- these may not stand in a header
      expect(warningHeader(texts)).not.toMatch(/[^\t\x20-\x7e\x80-\xff]/);
    }),
  );
});
