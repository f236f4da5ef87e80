import { expect, it } from 'vitest';
import { backingFileOf } from './backing-file.ts';

/** Returns the header of a qcow2 image as qemu-img writes it. */
function header({ file = '', format = '' }: { readonly file?: string; readonly format?: string }): Buffer {
  const block = Buffer.alloc(4096);
  block.writeUInt32BE(0x514649fb, 0);
  block.writeUInt32BE(3, 4);
  block.writeUInt32BE(112, 100);
  let at = 112;
  for (const [type, text] of [
    [0x6803f857, 'features'],
    ...(format === '' ? [] : [[0xe2792aca, format] as const]),
  ] as const) {
    block.writeUInt32BE(type, at);
    block.writeUInt32BE(text.length, at + 4);
    block.write(text, at + 8);
    at += 8 + Math.ceil(text.length / 8) * 8;
  }
  if (file === '') return block;
  block.writeBigUInt64BE(BigInt(at + 8), 8);
  block.writeUInt32BE(Buffer.byteLength(file), 16);
  block.write(file, at + 8);
  return block;
}

it.each([
  [
    { file: '/images/a.raw', format: 'raw' },
    { file: '/images/a.raw', format: 'raw' },
  ],
  [
    { file: '/images/ä.qcow2', format: 'qcow2' },
    { file: '/images/ä.qcow2', format: 'qcow2' },
  ],
  [
    { file: 'base', format: '' },
    { file: 'base', format: 'raw' },
  ],
  [{}, undefined],
])('of %j is %j', (given, found) => {
  expect(backingFileOf(header(given))).toEqual(found);
});

it.each([
  ['an empty file', Buffer.alloc(0)],
  ['a raw image', Buffer.alloc(4096, 1)],
  ['a name beyond the header', Buffer.from(header({ file: 'x' }).fill(0xff, 8, 20))],
])('is none for %s', (_what, block) => {
  expect(backingFileOf(block)).toBeUndefined();
});
