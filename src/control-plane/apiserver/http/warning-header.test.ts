import fc from 'fast-check';
import { expect, it } from 'vitest';
import { warningHeader } from './warning-header.ts';

it('quotes each warning, and says it once', () => {
  expect(warningHeader(['a "b" \\', 'c\nd', 'c\nd'])).toBe('299 - "a \\"b\\" \\\\", 299 - "c d"');
});

it('carries letters outside ASCII as the bytes of UTF-8', () => {
  expect(Buffer.from(warningHeader(['unknown field "日本"']), 'latin1').toString('utf8')).toBe(
    '299 - "unknown field \\"日本\\""',
  );
});

it('cuts all short where together they are long', () => {
  const header = warningHeader(Array.from({ length: 50_000 }, (_, i) => `${i} ${'x'.repeat(1_000)}`));
  expect(header.length).toBeLessThan(5_000);
  expect(header.split(', 299')[0]).toHaveLength('299 - ""'.length + 256);
});

it('fits into a header whatever the texts are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      expect(() => new Headers({ warning: warningHeader(texts) })).not.toThrow();
      // This is the check that Node.js makes of outgoing headers.
      // oxlint-disable-next-line no-control-regex -- these may not stand in a header
      expect(warningHeader(texts)).not.toMatch(/[^\t\x20-\x7e\x80-\xff]/);
    }),
  );
});
