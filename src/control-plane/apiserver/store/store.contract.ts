import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeModel } from './model.contract.ts';
import type { Retention } from './retention.ts';
import type { Store } from './store.ts';
import { collect, describeWatching, put } from './watching.contract.ts';

export interface StoreContract {
  readonly name: string;
  /** Opens a new, empty store. */
  readonly open: (options?: { clock?: { monotonic(): number }; retention?: Partial<Retention> }) => Promise<Store>;
}

/** Tests the contract of every store; each implementation runs it. */
export function describeStore({ name, open }: StoreContract): void {
  describe(`${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    describe('writing', () => {
      it('starts at revision 1 and gives every write the next one', async () => {
        expect(store.revision).toBe(1);
        expect(await put(store, '/a', 'x')).toBe(2);
        expect(await put(store, '/b', 'y')).toBe(3);
        expect(store.revision).toBe(3);
      });

      it('keeps the creation revision over updates and renews it after a delete', async () => {
        await put(store, '/a', '1');
        await put(store, '/a', '2');
        expect(store.get('/a')).toMatchObject({ key: '/a', value: '2', revision: 3, createRevision: 2 });
        await store.delete('/a');
        await put(store, '/a', '3');
        expect(store.get('/a')).toMatchObject({ value: '3', revision: 5, createRevision: 5 });
      });

      it('computes the value from the revision of the write', async () => {
        await put(store, '/a', (revision) => `{"resourceVersion":"${revision}"}`);
        expect(store.get('/a')?.value).toBe('{"resourceVersion":"2"}');
      });

      it('uses no revision if computing the value fails', async () => {
        const broken = () => {
          throw new Error('cannot');
        };
        await expect(store.put('/a', broken)).rejects.toThrow('cannot');
        expect(await put(store, '/a', 'x')).toBe(2);
      });

      it('rejects a write whose expected revision does not match, and returns the current entry', async () => {
        await put(store, '/a', '1');
        const rejected = { done: false, current: { value: '1', revision: 2 } };
        expect(await store.put('/a', '2', { expected: 0 })).toMatchObject(rejected);
        expect(await store.put('/a', '2', { expected: 1 })).toMatchObject(rejected);
        expect(await store.delete('/a', { expected: 3 })).toMatchObject(rejected);
        expect(await store.put('/b', '2', { expected: 2 })).toEqual({ done: false, current: undefined });
        expect(store.revision).toBe(2);
      });

      it('performs a write whose expected revision matches', async () => {
        expect(await store.put('/a', '1', { expected: 0 })).toMatchObject({ done: true });
        expect(await store.put('/a', '2', { expected: 2 })).toMatchObject({ done: true, event: { revision: 3 } });
        expect(await store.delete('/a', { expected: 3 })).toMatchObject({ done: true, event: { revision: 4 } });
        expect(await store.put('/a', '3', { expected: 0 })).toMatchObject({ done: true });
      });

      it('returns the deleted object, and rejects the deletion of a missing one', async () => {
        await put(store, '/a', '1');
        expect(await store.delete('/a')).toMatchObject({
          done: true,
          event: { type: 'delete', key: '/a', revision: 3, previous: { value: '1', revision: 2 } },
        });
        expect(store.get('/a')).toBeUndefined();
        expect(await store.delete('/a')).toEqual({ done: false, current: undefined });
      });

      it('lets exactly one of many concurrent creations of a key succeed', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, i) => store.put('/a', String(i), { expected: 0 })),
        );
        expect(outcomes.filter(({ done }) => done)).toHaveLength(1);
        expect(outcomes[0]?.done).toBe(true);
        for (const outcome of outcomes.slice(1)) expect(outcome).toMatchObject({ current: { value: '0' } });
      });

      it('chains writes to one key on its latest version without waiting in between', async () => {
        const increments = Array.from({ length: 100 }, async () => {
          const latest = store.latest('/n');
          return store.put('/n', String(Number(latest?.value ?? 0) + 1), { expected: latest?.revision ?? 0 });
        });
        for (const outcome of await Promise.all(increments)) expect(outcome.done).toBe(true);
        expect(store.get('/n')).toMatchObject({ value: '100', createRevision: 2, revision: 101 });
      });

      it('loses no increment in concurrent read-modify-writes', async () => {
        const increment = async () => {
          for (;;) {
            const current = store.get('/n');
            const outcome = await store.put('/n', String(Number(current?.value ?? 0) + 1), {
              expected: current?.revision ?? 0,
            });
            if (outcome.done) return;
          }
        };
        await Promise.all(Array.from({ length: 20 }, increment));
        expect(store.get('/n')?.value).toBe('20');
      });

      it('keeps any text unchanged', async () => {
        for (const value of ['', 'ä', '日本語', '😀', '\u0000"\\', 'x'.repeat(300_000)]) {
          await put(store, '/ключ/😀', value);
          expect(store.get('/ключ/😀')?.value).toBe(value);
        }
      });

      it('rejects keys and values that UTF-8 cannot encode', async () => {
        await expect(store.put('/\ud800', 'x')).rejects.toMatchObject({ code: 'InvalidKey' });
        await expect(store.put('', 'x')).rejects.toMatchObject({ code: 'InvalidKey' });
        await expect(store.put('/a', '\ud800')).rejects.toMatchObject({ code: 'InvalidValue' });
        expect(store.revision).toBe(1);
      });
    });

    describe('reading', () => {
      it('shows a write to readers and watchers before it returns', async () => {
        const seen = collect(store.watch({ prefix: '/' }), 1);
        await put(store, '/a', 'x');
        expect(store.get('/a')?.value).toBe('x');
        expect((await seen).map(({ revision }) => revision)).toEqual([2]);
      });

      it('returns a range in key order, within its prefix only', async () => {
        for (const key of ['/r/b', '/r/a/2', '/r/a/1', '/q/z', '/r0', '/r/c']) await put(store, key, key);
        expect(store.range({ prefix: '/r/' }).entries.map(({ key }) => key)).toEqual([
          '/r/a/1',
          '/r/a/2',
          '/r/b',
          '/r/c',
        ]);
        expect(store.range({ prefix: '/none/' })).toEqual({ entries: [], revision: 7, remaining: 0 });
      });

      it('pages through one revision while the store changes', async () => {
        const keys = Array.from({ length: 2_500 }, (_, i) => `/r/${String(i).padStart(5, '0')}`);
        await Promise.all(keys.map((key) => put(store, key, 'old')));
        const { revision } = store;
        const seen: string[] = [];
        let after: string | undefined;
        for (let page = 0; ; page++) {
          const { entries, remaining } = store.range({ prefix: '/r/', limit: 700, revision, ...(after && { after }) });
          seen.push(...entries.map(({ key, value }) => `${key}=${value}`));
          expect(remaining).toBe(keys.length - seen.length);
          if (remaining === 0) break;
          after = entries.at(-1)?.key;
          await store.delete(keys[page]!);
          await store.delete(keys[2_300 + page]!);
          await store.delete(keys[2_310 + page]!);
          await put(store, keys[2_400 + page]!, 'new');
          await put(store, `/r/0230${page}-more`, 'new');
        }
        expect(seen).toEqual(keys.map((key) => `${key}=old`));
      });

      it('counts with a limit of 0', async () => {
        for (const key of ['/r/a', '/r/b', '/s/a']) await put(store, key, 'x');
        await store.delete('/r/a');
        expect(store.range({ prefix: '/r/', limit: 0 })).toMatchObject({ entries: [], remaining: 1 });
        expect(store.range({ prefix: '/r/', limit: 0, revision: 4 }).remaining).toBe(2);
      });

      it('reads a key at any retained revision', async () => {
        await put(store, '/a', '1');
        await put(store, '/a', '2');
        await store.delete('/a');
        await put(store, '/a', '3');
        const values = [1, 2, 3, 4, 5].map((revision) => store.get('/a', { revision })?.value);
        expect(values).toEqual([undefined, '1', '2', undefined, '3']);
      });

      it('rejects a future revision', () => {
        expect(() => store.get('/a', { revision: 2 })).toThrow(expect.objectContaining({ code: 'FutureRevision' }));
        expect(() => store.range({ prefix: '/', revision: 2 })).toThrow(/revision 2 does not exist yet/);
        expect(() => store.watch({ prefix: '/', after: 2 })).toThrow(/revision 2 does not exist yet/);
      });
    });

    describeWatching({ name, open });

    it('rejects everything once closed', async () => {
      await store.close();
      const closed = { code: 'Closed' };
      await expect(store.put('/a', 'x')).rejects.toMatchObject(closed);
      await expect(store.delete('/a')).rejects.toMatchObject(closed);
      await expect(store.compact(1)).rejects.toMatchObject(closed);
      expect(() => store.get('/a')).toThrow(expect.objectContaining(closed));
      expect(() => store.range({ prefix: '/' })).toThrow(expect.objectContaining(closed));
      expect(() => store.watch({ prefix: '/' })).toThrow(expect.objectContaining(closed));
    });

    it('completes accepted writes before it closes', async () => {
      const writes = Array.from({ length: 10 }, (_, i) => put(store, `/${i}`, 'x'));
      await store.close();
      expect(await Promise.all(writes)).toHaveLength(10);
    });

    describeModel(open);
  });
}
