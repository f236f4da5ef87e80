import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

it('finds the same lines however the bytes arrive', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zé{}]{0,8}$/), { maxLength: 6 }),
      fc.array(fc.nat(7), { minLength: 1, maxLength: 20 }),
      (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
        const splitter = new LineSplitter(100);
        const found: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = 1 + (sizes[turn % sizes.length] ?? 0);
          found.push(...splitter.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(found).toEqual(lines);
      },
    ),
  );
});

it('rejects a line that is longer than the limit, however it arrives', () => {
  const splitter = new LineSplitter(8);
  expect(splitter.push(Buffer.from('12345678\n'))).toEqual(['12345678']);
  splitter.push(Buffer.from('12345'));
  expect(() => splitter.push(Buffer.from('6789'))).toThrow('longer than 8 bytes');
});
