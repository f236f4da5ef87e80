import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cpioArchive } from './cpio.ts';

interface ReadEntry {
  readonly name: string;
  readonly mode: number;
  readonly data: string;
}

/** Reads an archive as the kernel does: a header of 110 characters, a name and data, both padded to four bytes. */
function readArchive(archive: Buffer): ReadEntry[] {
  const entries: ReadEntry[] = [];
  for (let at = 0; ; ) {
    const field = (index: number) =>
      Number.parseInt(archive.toString('latin1', at + 6 + index * 8, at + 14 + index * 8), 16);
    expect(archive.toString('latin1', at, at + 6)).toBe('070701');
    const [mode, size, nameSize] = [field(1), field(6), field(11)];
    const name = archive.toString('utf8', at + 110, at + 110 + nameSize - 1);
    const start = Math.ceil((at + 110 + nameSize) / 4) * 4;
    if (name === 'TRAILER!!!') return entries;
    entries.push({ name, mode, data: archive.toString('utf8', start, start + size) });
    at = Math.ceil((start + size) / 4) * 4;
  }
}

it('stores files, directories and links with their type and permissions', () => {
  const archive = cpioArchive([
    { path: 'bin/' },
    { path: 'bin/tool', mode: 0o755, data: Buffer.from('text') },
    { path: 'bin/sh', link: 'tool' },
  ]);
  expect(readArchive(archive)).toEqual([
    { name: 'bin', mode: 0o040755, data: '' },
    { name: 'bin/tool', mode: 0o100755, data: 'text' },
    { name: 'bin/sh', mode: 0o120755, data: 'tool' },
  ]);
});

it('aligns every entry, whatever the lengths of names and data', () => {
  const entry = fc.record({ path: fc.stringMatching(/^[a-z]{1,9}$/), text: fc.string({ maxLength: 9 }) });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      const archive = cpioArchive(entries.map(({ path, text }) => ({ path, data: Buffer.from(text) })));
      const read = readArchive(archive).map(({ name, data }) => ({ path: name, text: data }));
      expect(read).toEqual(entries.map(({ path, text }) => ({ path, text: Buffer.from(text).toString('utf8') })));
    }),
  );
});
