import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoImage } from './iso-image.ts';

const SECTOR = 2048;

/** Reads the files of the Joliet tree, as Linux and Windows do. */
function readFiles(image: Buffer): Record<string, string> {
  const descriptor = image.subarray(17 * SECTOR, 18 * SECTOR);
  expect(descriptor.toString('latin1', 0, 6)).toBe('\x02CD001');
  const files: Record<string, string> = {};
  const visit = (sector: number, bytes: number, path: string) => {
    const block = image.subarray(sector * SECTOR, sector * SECTOR + bytes);
    for (let at = 0; at < block.length; ) {
      const length = block[at] ?? 0;
      if (length === 0) {
        at = (Math.floor(at / SECTOR) + 1) * SECTOR;
        continue;
      }
      const [start, size] = [block.readUInt32LE(at + 2), block.readUInt32LE(at + 10)];
      const raw = Buffer.from(block.subarray(at + 33, at + 33 + (block[at + 32] ?? 0)));
      const isSelfOrParent = raw.length === 1;
      const name = isSelfOrParent ? '' : raw.swap16().toString('utf16le');
      if (!isSelfOrParent && block[at + 25] === 2) visit(start, size, `${path}${name}/`);
      if (!isSelfOrParent && block[at + 25] === 0) {
        files[`${path}${name.replace(/;1$/, '')}`] = image.toString('utf8', start * SECTOR, start * SECTOR + size);
      }
      at += length;
    }
  };
  visit(descriptor.readUInt32LE(158), descriptor.readUInt32LE(166), '');
  return files;
}

it('has the label by which guests find it, and returns every file by its real name', () => {
  const files = { 'user-data': '#!/bin/sh\n', 'meta-data': '', 'openstack/latest/user_data': 'x'.repeat(5000) };
  const image = isoImage('cidata', bytesOf(files));
  expect(image.toString('latin1', 32808, 32814)).toBe('cidata');
  expect(image.readUInt32LE(16 * SECTOR + 80) * SECTOR).toBe(image.length);
  expect(readFiles(image)).toEqual(files);
});

it('returns any set of files, the same bytes each time', () => {
  const path = fc.array(fc.stringMatching(/^[a-z][a-z0-9_-]{0,11}$/), { minLength: 1, maxLength: 3 });
  const file = fc.tuple(path, fc.string({ maxLength: 3000 }));
  fc.assert(
    fc.property(fc.array(file, { maxLength: 70 }), (given) => {
      // A path cannot be a file and a directory at once.
      const files = Object.fromEntries(
        given.map(([parts, text]) => [`${parts.map((part) => `${part}.d`).join('/')}/f`, text]),
      );
      const image = isoImage('x', bytesOf(files));
      expect(readFiles(image)).toEqual(
        Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString()])),
      );
      expect(isoImage('x', bytesOf(files)).equals(image)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

function bytesOf(files: Readonly<Record<string, string>>): Record<string, Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
}
