import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { SmallFileSystem } from '#testing/small-file-system';
import { openLmdbStore } from './lmdb-store.ts';
import { Version } from './version.ts';
import { writeStore } from './write-store.ts';

const disk = SmallFileSystem.mount('a disk without space', 16);
afterAll(() => disk?.unmount());

const script = new URL('full-disk-writer.contract.ts', import.meta.url).pathname;
const clock = { monotonic: () => 0 };
const MEBIBYTE = 1024 * 1024;

describe.skipIf(disk === undefined)('on a disk without space', () => {
  const { directory: at = '' } = disk ?? {};

  it.each([90_000, 3_000])('LMDB never attempts to write values of %i bytes', async (size) => {
    const directory = join(at, `values-${size}`);
    const ballast = join(at, 'ballast');
    writeFileSync(ballast, Buffer.alloc(4 * MEBIBYTE));
    const writer = spawn(process.execPath, [script, directory, String(size)], { stdio: 'pipe' });
    const complaints = text(writer.stderr);
    try {
      const lines = createInterface(writer.stdout)[Symbol.asyncIterator]();
      const full = JSON.parse((await lines.next()).value as string);
      expect(full).toMatchObject({ failures: ['Unavailable'], acknowledged: full.revision });
      expect(full.message).toMatch(/no space left on device: \d\.\d MiB are available, .*succeed again/);
      expect(full.revision).toBeGreaterThan(20);

      const filler = disk?.fill() ?? '';
      writer.stdin.write('\n');
      expect(JSON.parse((await lines.next()).value as string)).toContain('no space left on device: 0.0 MiB');

      for (const file of [filler, ballast]) rmSync(file);
      writer.stdin.write('\n');
      expect(JSON.parse((await lines.next()).value as string)).toBe(full.revision + 1);
      await lines.next();
      // LMDB would print why a write failed.
      expect(await complaints).toBe('');

      const store = await openLmdbStore({ directory, clock });
      expect(store.revision).toBe(full.revision + 1);
      expect(store.range({ prefix: '/r/' }).entries.every(({ value }) => value === 'x'.repeat(size))).toBe(true);
      await store.close();
    } finally {
      writer.kill('SIGKILL');
      for (const path of [directory, ballast]) rmSync(path, { recursive: true, force: true });
    }
  });

  it('a store is neither opened nor restored', async () => {
    const filler = disk?.fill(2 * MEBIBYTE) ?? '';
    const place = { directory: join(at, 'new'), head: join(at, 'new.head') };
    await expect(openLmdbStore({ ...place, clock })).rejects.toThrow('no space left on device: 2.0 MiB are available');
    rmSync(filler);
    disk?.fill(6 * MEBIBYTE);
    const versions = Array.from({ length: 30 }, (_, i) => new Version(`/${i}`, 'x'.repeat(90_000), i + 2, i + 2));
    await expect(writeStore(place, versions, 100)).rejects.toThrow(/no space left on device: [56]\.\d MiB are/);
  });
});
