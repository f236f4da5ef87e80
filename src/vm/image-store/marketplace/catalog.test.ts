import { expect, it } from 'vitest';
import { catalogProblems, DEFAULT_CATALOG } from './catalog.ts';
import { digestInList, fileNameIn } from './checksum-list.ts';

it("ships images of vendors, each with the vendor's checksums", () => {
  expect(Object.keys(DEFAULT_CATALOG)).toEqual(['debian-12', 'ubuntu-22.04-lts']);
  expect(catalogProblems({ images: DEFAULT_CATALOG })).toEqual([]);
});

it('names all problems of a catalog', () => {
  const checksum = `sha256:${'a'.repeat(64)}`;
  const images = {
    a: { url: 'ftp://x', checksum },
    b: { url: 'https://x' },
    c: { url: 'https://x', checksums: null },
    d: null,
  };
  expect(catalogProblems({ images })).toEqual([
    'images.a.url: must be an http:// or https:// URL',
    'images.b: must have a checksum or checksums',
    'images.c.checksums: must have a url and the algorithm sha256 or sha512',
    'images.d.url: must be an http:// or https:// URL',
    'images.d: must have a checksum or checksums',
  ]);
  expect(catalogProblems(null)).toEqual(['images: must be an object with an entry per image']);
});

it('finds digests in lists of vendors', () => {
  const hex = 'AB'.repeat(32);
  const list = `${'0'.repeat(64)}  other\n${hex} *image.img\r\n${'1'.repeat(64)}  ./sub.img\n`;
  expect(digestInList(list, 'image.img')).toBe('ab'.repeat(32));
  expect(digestInList(list, 'sub.img')).toBe('1'.repeat(64));
  expect(digestInList(list, 'mage.img')).toBeUndefined();
  expect(fileNameIn('https://x/a/image.img?x')).toBe('image.img');
});
