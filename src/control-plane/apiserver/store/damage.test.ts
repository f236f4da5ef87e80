import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { runs } from '#testing/runs';
import { openLmdbStore } from './lmdb-store.ts';
import type { Store } from './store.ts';
import { put } from './watching.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'damage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const clock = { monotonic: () => 0 };
const LARGE = 20_000;
const FLIPS = runs(25);
let copies = 0;

/** Returns the stored content as text. */
const contentOf = (store: Store): string => JSON.stringify([store.revision, store.range({ prefix: '' }).entries]);

const openIn = (directory: string) => openLmdbStore({ directory, clock, retention: { maxEvents: 50 } });

/** Fills a store with small and large values, older versions, deletions, and freed pages. */
async function fill(directory: string): Promise<string> {
  const store = await openIn(directory);
  for (let i = 0; i < 400; i++) {
    await put(store, `/registry/pods/default/pod-${i % 60}`, `${i} ${'ä'.repeat(i % 9 === 0 ? LARGE : i * 3)}`);
    if (i % 11 === 0) await store.delete(`/registry/pods/default/pod-${i % 60}`);
  }
  const content = contentOf(store);
  await store.close();
  return content;
}

const whole = join(root, 'whole');
let content = '';
beforeAll(async () => {
  content = await fill(whole);
});

function copy(of = whole): string {
  const directory = join(root, `copy-${copies++}`);
  cpSync(of, directory, { recursive: true });
  return directory;
}

/** Returns the result of opening a directory: its content, or the code of the error. */
async function outcomeOf(directory: string): Promise<string> {
  try {
    const store = await openIn(directory);
    const found = contentOf(store);
    await put(store, '/registry/pods/default/next', 'x'.repeat(LARGE));
    await store.close();
    return found === content ? 'whole' : 'another content';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describe('a damaged store', () => {
  it('opens with all its data or does not open, whichever byte was flipped', async () => {
    const random = seededRandom('flipped bytes');
    const bytes = readFileSync(join(whole, 'data.mdb'));
    const counts = new Map<string, number>();
    const directory = copy();
    // A flipped bit does the most harm in the first pages and in the header of every page.
    const places = [
      ...Array.from({ length: FLIPS }, () => random.int(0, 170)),
      ...Array.from({ length: FLIPS }, () => 8192 + random.int(0, 170)),
      ...Array.from({ length: 2 * FLIPS }, () => random.int(2, bytes.length / 8192 - 1) * 8192 + random.int(0, 60)),
      ...Array.from({ length: 2 * FLIPS }, () => random.int(0, bytes.length - 1)),
    ];
    for (const place of places) {
      const damaged = Buffer.from(bytes);
      damaged[place]! ^= 1 << random.int(0, 7);
      cpSync(join(whole, 'head'), join(directory, 'head'));
      writeFileSync(join(directory, 'data.mdb'), damaged);
      const outcome = await outcomeOf(directory);
      expect(['whole', 'Corrupt'], `byte ${place}`).toContain(outcome);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
    expect(counts.get('Corrupt')).toBeGreaterThan(FLIPS);
  });

  it('does not open if it was truncated anywhere', async () => {
    const { size } = statSync(join(whole, 'data.mdb'));
    const random = seededRandom('truncated');
    for (const length of [1, 100, 8192, 16_384, ...Array.from({ length: 20 }, () => random.int(1, size / 2))]) {
      const directory = copy();
      truncateSync(join(directory, 'data.mdb'), length);
      expect(await outcomeOf(directory), `${length} of ${size} bytes`).toBe('Corrupt');
    }
  });

  it('names the objects that were damaged', async () => {
    const directory = copy();
    const store = await openIn(directory);
    await put(store, '/registry/pods/default/named', 'only one value has these words');
    await store.close();
    const bytes = readFileSync(join(directory, 'data.mdb'));
    // Pages that are no longer in use may contain older copies.
    for (let at = bytes.indexOf('these words'); at >= 0; at = bytes.indexOf('these words', at + 1)) bytes[at]! ^= 1;
    writeFileSync(join(directory, 'data.mdb'), bytes);
    await expect(openIn(directory)).rejects.toThrow(
      /the record of "\/registry\/pods\/default\/named" \(revision \d+\)/,
    );
  });

  it.each([
    ['emptied', (directory: string) => truncateSync(join(directory, 'data.mdb'), 0), 'its contents were deleted'],
    ['removed', (directory: string) => rmSync(join(directory, 'data.mdb')), 'its contents were deleted'],
    [
      'filled with zeros',
      (directory: string) => writeFileSync(join(directory, 'data.mdb'), Buffer.alloc(1 << 20)),
      'damaged',
    ],
    [
      'damaged at its head',
      (directory: string) => writeFileSync(join(directory, 'head'), 'vimana-store-head/1 0'),
      'head is damaged',
    ],
  ])('does not open if it was %s', async (_what, damage, message) => {
    const directory = copy();
    damage(directory);
    for (let attempt = 0; attempt < 2; attempt++) await expect(openIn(directory)).rejects.toThrow(message);
  });

  it('does not open if it was replaced by an older copy', async () => {
    const directory = copy();
    const store = await openIn(directory);
    await put(store, '/later', 'x');
    await store.close();
    cpSync(join(whole, 'data.mdb'), join(directory, 'data.mdb'));
    await expect(openIn(directory)).rejects.toThrow('replaced by an older copy');
  });

  it.each([
    ['truncated', (file: string) => truncateSync(file, 8192), 'was truncated from'],
    ['removed', (file: string) => rmSync(file), 'was removed'],
    ['replaced', (file: string) => (rmSync(file), cpSync(join(whole, 'data.mdb'), file)), 'was replaced'],
    [
      'overwritten by an older copy',
      (file: string) => writeFileSync(file, readFileSync(join(whole, 'data.mdb')), { flag: 'r+' }),
      'was overwritten by an older copy',
    ],
  ])('reports the damage and rejects writes if it was %s while in use', async (_what, damage, message) => {
    const directory = copy();
    const store = await openIn(directory);
    for (let i = 0; i < 3; i++) await put(store, '/registry/pods/default/pod-1', String(i));
    const before = contentOf(store);
    expect(await store.problem()).toBeUndefined();
    damage(join(directory, 'data.mdb'));
    expect(await store.problem()).toMatchObject({ cause: { message: expect.stringContaining(message) } });
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(store.put('/a', '1')).rejects.toMatchObject({
        code: 'Unavailable',
        cause: { code: 'Corrupt', message: expect.stringContaining(message) },
      });
    }
    expect(await store.problem()).toMatchObject({ cause: { message: expect.stringContaining(message) } });
    expect(contentOf(store)).toBe(before);
    // The remaining compaction cannot be written either.
    await store.close().catch(() => {});
  });
});

describe('the head file of a store', () => {
  it('is created again if it was deleted while in use', async () => {
    const directory = copy();
    const store = await openIn(directory);
    rmSync(join(directory, 'head'));
    await put(store, '/later', 'x');
    await store.close();
    cpSync(join(whole, 'data.mdb'), join(directory, 'data.mdb'));
    await expect(openIn(directory)).rejects.toThrow('replaced by an older copy');
  });
});

describe('a store of the previous version', () => {
  it('opens with all its data, and has checksums from then on', async () => {
    const directory = join(root, 'before');
    const environment = open(directory, {
      noSubdir: false,
      pageSize: 8192,
      encoding: 'binary',
      overlappingSync: false,
    });
    const records = environment.openDB<Buffer, number>('records', { encoding: 'binary' });
    const meta = environment.openDB<Buffer, string>('meta', { encoding: 'binary' });
    await meta.put('format', Buffer.from('vimana-store/1'));
    await meta.put('compacted', Buffer.from('3'));
    for (const [revision, key, value] of [
      [2, '/a', '1'],
      [3, '/a', '2'],
      [4, '/b', 'ü'.repeat(9_000)],
    ] as const) {
      const text = Buffer.from(key + value);
      const header = Buffer.alloc(13);
      header.writeUInt8(1, 0);
      header.writeUInt32LE(Buffer.byteLength(key), 1);
      header.writeDoubleLE(revision === 3 ? 2 : revision, 5);
      await records.put(revision, Buffer.concat([header, text]));
    }
    await environment.close();

    for (let opening = 0; opening < 2; opening++) {
      const store = await openIn(directory);
      expect(store).toMatchObject({ revision: 4 + opening, compacted: 3 });
      expect(store.get('/a')).toMatchObject({ value: '2', revision: 3, createRevision: 2 });
      expect(store.get('/b')?.value).toBe('ü'.repeat(9_000));
      await put(store, '/c', String(opening));
      await store.close();
    }
    const bytes = readFileSync(join(directory, 'data.mdb'));
    bytes[bytes.lastIndexOf('/a2') + 2]! ^= 1;
    writeFileSync(join(directory, 'data.mdb'), bytes);
    await expect(openIn(directory)).rejects.toThrow('the record of "/a" (revision 3)');
  });
});
