import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, describe, expect, it } from 'vitest';
import { startWriter } from './crash.contract.ts';
import { openLmdbStore } from './lmdb-store.ts';
import { describeModel } from './model.contract.ts';
import { describeStore } from './store.contract.ts';
import type { Store } from './store.ts';
import { put } from './watching.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'lmdb-store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const clock = { monotonic: () => 0 };
let directories = 0;
const newFolder = () => join(root, String(directories++));

for (const durability of ['sync', 'relaxed'] as const) {
  describeStore({
    name: `LMDB (${durability})`,
    open: (options) => openLmdbStore({ directory: newFolder(), durability, clock, ...options }),
  });
}

describe('LMDB store over time', () => {
  const folderOf = new WeakMap<Store, string>();
  const openIn = async (directory: string) => {
    const store = await openLmdbStore({ directory, clock });
    folderOf.set(store, directory);
    return store;
  };
  describeModel(
    () => openIn(newFolder()),
    async (store) => {
      await store.close();
      return openIn(folderOf.get(store)!);
    },
  );

  it('reopens with its state, history and compaction, and continues with the next revision', async () => {
    const directory = newFolder();
    let store = await openLmdbStore({ directory, clock });
    await put(store, '/a', '1');
    await put(store, '/a', '2');
    await put(store, '/b', '1');
    await store.compact(3);
    await store.delete('/b');
    await store.close();

    store = await openLmdbStore({ directory, clock });
    expect(store).toMatchObject({ revision: 5, compacted: 3 });
    expect(store.get('/a')).toMatchObject({ value: '2', revision: 3, createRevision: 2 });
    expect(store.get('/b', { revision: 4 })?.value).toBe('1');
    for await (const events of store.watch({ prefix: '/', after: 3 })) {
      expect(events).toMatchObject([
        { type: 'put', key: '/b' },
        { type: 'delete', previous: { value: '1' } },
      ]);
      break;
    }
    expect(await put(store, '/c', '1')).toBe(6);
    await store.close();
  });

  it('does not reuse a revision after the newest writes were deleted and compacted', async () => {
    const directory = newFolder();
    let store = await openLmdbStore({ directory, clock });
    await put(store, '/a', '1');
    await store.delete('/a');
    await store.compact(3);
    await store.close();
    store = await openLmdbStore({ directory, clock });
    expect(store).toMatchObject({ revision: 3, compacted: 3 });
    expect(await put(store, '/a', '1')).toBe(4);
    await store.close();
  });

  it('can be reopened with another durability', async () => {
    const directory = newFolder();
    for (const durability of ['sync', 'relaxed', 'sync', 'relaxed'] as const) {
      const store = await openLmdbStore({ directory, clock, durability });
      await put(store, `/${store.revision}`, durability);
      await store.close();
    }
    const store = await openLmdbStore({ directory, clock });
    expect(store.range({ prefix: '/' }).entries.map(({ value }) => value)).toEqual([
      'sync',
      'relaxed',
      'sync',
      'relaxed',
    ]);
    await store.close();
  });

  it('removes what is compacted from disk too', async () => {
    const directory = newFolder();
    const store = await openLmdbStore({ directory, clock });
    for (let i = 0; i < 5_000; i++) void store.put(`/${i % 10}`, 'x');
    await put(store, '/last', 'x');
    await store.delete('/last');
    await store.compact(store.revision);
    await store.close();
    const root = open(directory, { noSubdir: false, overlappingSync: false });
    expect(root.openDB('records', { encoding: 'binary' }).getKeysCount()).toBe(10);
    await root.close();
  });

  it('lets only one store at a time open a directory', async () => {
    const directory = newFolder();
    const store = await openLmdbStore({ directory, clock });
    await expect(openLmdbStore({ directory, clock })).rejects.toMatchObject({ code: 'FolderInUse' });
    await put(store, '/a', '1');
    await store.close();
    const next = await openLmdbStore({ directory, clock });
    expect(next.get('/a')?.value).toBe('1');
    await next.close();
  });

  it('locks its directory against other processes, until its own process ends', async () => {
    const directory = newFolder();
    const holder = await startWriter(directory);
    await expect(openLmdbStore({ directory, clock })).rejects.toMatchObject({ code: 'FolderInUse' });
    await holder.kill();
    const store = await openLmdbStore({ directory, clock });
    await store.close();
  });

  it('rejects a directory of an unknown format by name, and leaves it alone', async () => {
    const directory = newFolder();
    await (await openLmdbStore({ directory, clock })).close();
    const root = open(directory, { noSubdir: false, overlappingSync: false });
    await root.openDB('meta', { encoding: 'binary' }).put('format', Buffer.from('vimana-store/9'));
    await root.close();
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openLmdbStore({ directory, clock })).rejects.toMatchObject({
        code: 'UnknownFormat',
        message: expect.stringContaining('"vimana-store/9"; this version reads "vimana-store/2"'),
      });
    }
  });

  it('deletes the remains of failed writes, and continues', async () => {
    const directory = newFolder();
    const store = await openLmdbStore({ directory, clock });
    await put(store, '/a', '1');
    // This is the state after a commit that reported a failure although it had reached the disk.
    const root = open(directory, { noSubdir: false, overlappingSync: false });
    await root.openDB('records', { encoding: 'binary' }).put(4, Buffer.from([7]));
    await root.close();
    const failed = { code: 'Unavailable', cause: { code: 'Corrupt' } };
    await expect(store.put('/b', '1')).rejects.toMatchObject(failed);
    expect(await put(store, '/c', '1')).toBe(3);
    await store.close();
    const reopened = await openLmdbStore({ directory, clock });
    expect(reopened.range({ prefix: '' }).entries.map(({ key, revision }) => [key, revision])).toEqual([
      ['/a', 2],
      ['/c', 3],
    ]);
    await reopened.close();
  });

  it('rejects a directory with a damaged record by its revision', async () => {
    const directory = newFolder();
    const store = await openLmdbStore({ directory, clock });
    await put(store, '/a', '1');
    await store.close();
    const root = open(directory, { noSubdir: false, overlappingSync: false });
    await root.openDB('records', { encoding: 'binary' }).put(2, Buffer.from([7]));
    await root.close();
    await expect(openLmdbStore({ directory, clock })).rejects.toThrow('(revision 2) is damaged');
  });
});
