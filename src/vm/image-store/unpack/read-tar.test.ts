import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findDisk } from '../registry/layer-disk.ts';
import { readTar } from './read-tar.ts';

async function* inChunks(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function entriesOf(archive: Buffer, size = 1000) {
  const entries: [string, string, string][] = [];
  for await (const { path, type, contents } of readTar(inChunks(archive, size))) {
    let text = '';
    for await (const part of contents) text += part.toString('latin1');
    entries.push([path, type, text]);
  }
  return entries;
}

/** Archives files with the program of the host, which is an independent writer. */
function archived(format: string, files: Readonly<Record<string, string>>): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'vimana-tar-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    if (text.startsWith('->')) symlinkSync(text.slice(2), join(directory, path));
    else writeFileSync(join(directory, path), text);
  }
  const names = Object.keys(files);
  const { stdout } = spawnSync('tar', [`--format=${format}`, '-C', directory, '-c', ...names], { maxBuffer: 2 ** 26 });
  rmSync(directory, { recursive: true });
  return stdout;
}

const LONG = `disk/${'long-'.repeat(30)}name.img`;

it.each(['gnu', 'posix', 'ustar'])('reads archives of tar in the format %s', async (format) => {
  const files = { 'disk/a.img': 'x'.repeat(1500), ...(format === 'ustar' ? {} : { [LONG]: 'long' }), 'disk/b': '' };
  expect(await entriesOf(archived(format, files))).toEqual(
    Object.entries(files).map(([path, text]) => [path, 'file', text]),
  );
});

it('reads archives in chunks of any size', async () => {
  const archive = archived('gnu', { 'disk/a.img': 'x'.repeat(700), [LONG]: 'long' });
  const whole = await entriesOf(archive, archive.length);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), async (size) => {
      expect(await entriesOf(archive, size)).toEqual(whole);
    }),
    { numRuns: 20 },
  );
});

it.each([
  ['is none', Buffer.alloc(1024, 'x'), 'is not a tar archive'],
  ['is cut off', archived('gnu', { 'disk/a': 'x'.repeat(5000) }).subarray(0, 2000), 'a layer ends within a file'],
])('rejects an archive that %s', async (_what, archive, problem) => {
  await expect(entriesOf(archive)).rejects.toThrow(problem);
});

it('rejects a disk that is a link, which could lead anywhere', async () => {
  const layer = inChunks(archived('gnu', { 'disk/a.img': '->/etc/shadow' }), 512);
  await expect(findDisk(layer, {}, async () => undefined)).rejects.toThrow('disk/a.img is a link');
});
