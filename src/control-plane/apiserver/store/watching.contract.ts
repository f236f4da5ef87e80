import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreContract } from './store.contract.ts';
import type { ProgressNotify, Store, StoreEvent, Watch } from './store.ts';
import { WATCH_BUFFER } from './store-watch.ts';
import { EVENT_BYTES } from './timeline.ts';

/** Tests the part of the contract about events and their retention. */
export function describeWatching({ open }: StoreContract): void {
  describe('events', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    describe('watching', () => {
      it('reports creation, update and deletion with the previous values', async () => {
        const events = collect(store.watch({ prefix: '/r/' }), 3);
        await put(store, '/r/a', '1');
        await put(store, '/r/a', '2');
        await store.delete('/r/a');
        expect(await events).toMatchObject([
          { type: 'put', key: '/r/a', revision: 2, entry: { value: '1', createRevision: 2 }, previous: undefined },
          { type: 'put', revision: 3, entry: { value: '2', createRevision: 2 }, previous: { value: '1' } },
          { type: 'delete', revision: 4, entry: undefined, previous: { value: '2', revision: 3 } },
        ]);
      });

      it('continues from history to live events without gaps or duplicates', async () => {
        const writes = async (from: number, to: number) => {
          for (let i = from; i < to; i++) await put(store, `/r/${i % 7}`, String(i));
        };
        await writes(0, 50);
        const watch = store.watch({ prefix: '/r/', after: 11 });
        const events = collect(watch, 190);
        await Promise.all([writes(50, 100), writes(100, 150), writes(150, 200)]);
        expect((await events).map(({ revision }) => revision)).toEqual(Array.from({ length: 190 }, (_, i) => i + 12));
      });

      it('delivers only what is below the prefix, or exactly the key', async () => {
        const below = collect(store.watch({ prefix: '/r/' }), 2);
        const inNamespace = collect(store.watch({ prefix: '/r/a/' }), 1);
        const exact = collect(store.watch({ prefix: '/r/a/1' }), 1);
        const all = collect(store.watch({ prefix: '' }), 4);
        for (const key of ['/r0', '/r/a/11', '/s/a/1', '/r/a/1']) await put(store, key, 'x');
        const keys = async (events: Promise<StoreEvent[]>) => (await events).map(({ key }) => key);
        expect(await keys(below)).toEqual(['/r/a/11', '/r/a/1']);
        expect(await keys(inNamespace)).toEqual(['/r/a/11']);
        expect(await keys(exact)).toEqual(['/r/a/1']);
        expect(await keys(all)).toEqual(['/r0', '/r/a/11', '/s/a/1', '/r/a/1']);
      });

      it('shares one event object among watchers', async () => {
        const [one, other] = [collect(store.watch({ prefix: '/r/' }), 1), collect(store.watch({ prefix: '/' }), 1)];
        await put(store, '/r/a', 'x');
        expect((await one)[0]).toBe((await other)[0]);
      });

      it('delivers progress after all events that were visible when it was requested', async () => {
        await put(store, '/r/a', '1');
        await put(store, '/s/a', '1');
        const watch = store.watch({ prefix: '/r/', after: 1 });
        watch.requestProgress();
        const items: (StoreEvent | ProgressNotify)[] = [];
        for await (const batch of watch) {
          items.push(...batch);
          if (items.at(-1)?.type === 'progress') break;
        }
        expect(items).toMatchObject([
          { type: 'put', revision: 2 },
          { type: 'progress', revision: 3 },
        ]);
      });

      it('delivers progress to an idle watch', async () => {
        const watch = store.watch({ prefix: '/r/' });
        const next = watch[Symbol.asyncIterator]().next();
        await put(store, '/s/a', '1');
        watch.requestProgress();
        expect((await next).value).toEqual([{ type: 'progress', revision: 2 }]);
        watch.close();
      });

      it('serves a slow watcher from history once its buffer is full', async () => {
        const watch = store.watch({ prefix: '/r/' });
        const count = WATCH_BUFFER * 2 + 10;
        await Promise.all(Array.from({ length: count }, (_, i) => put(store, `/r/${i}`, 'x')));
        watch.requestProgress();
        const items = await collectItems(watch, count + 1);
        expect(items.map(({ revision }) => revision)).toEqual([
          ...Array.from({ length: count }, (_, i) => i + 2),
          count + 1,
        ]);
      });

      it('ends a watcher whose next event was compacted', async () => {
        const watch = store.watch({ prefix: '/r/' });
        await Promise.all(Array.from({ length: WATCH_BUFFER + 1 }, (_, i) => put(store, `/r/${i}`, 'x')));
        await store.compact(store.revision);
        await expect(collect(watch, 1)).rejects.toMatchObject({ code: 'Compacted' });
      });

      it('does not end a watcher whose next event was retained', async () => {
        const watch = store.watch({ prefix: '/r/' });
        await put(store, '/r/a', '1');
        await store.delete('/r/a');
        await store.compact(store.revision);
        expect(await collect(watch, 2)).toMatchObject([{ type: 'put' }, { type: 'delete', previous: { value: '1' } }]);
      });

      it('ends quietly when its signal aborts, when it is closed and when the store is closed', async () => {
        const abort = new AbortController();
        const aborted = drain(store.watch({ prefix: '/', signal: abort.signal }));
        const byHand = store.watch({ prefix: '/' });
        const closed = drain(byHand);
        const withStore = drain(store.watch({ prefix: '/' }));
        abort.abort();
        byHand.close();
        await Promise.all([aborted, closed]);
        await put(store, '/a', 'x');
        await store.close();
        expect(await withStore).toBe(1);
      });

      it('rejects a watch whose signal has already aborted', async () => {
        expect(await drain(store.watch({ prefix: '/', signal: AbortSignal.abort() }))).toBe(0);
      });
    });

    describe('compacting', () => {
      it('keeps the current state and rejects compacted revisions', async () => {
        await put(store, '/a', '1');
        await put(store, '/a', '2');
        await put(store, '/b', '1');
        await store.delete('/b');
        await put(store, '/c', '1');
        await store.compact(5);
        expect(store.compacted).toBe(5);
        for (const revision of [1, 4]) {
          const compacted = expect.objectContaining({ code: 'Compacted' });
          expect(() => store.get('/a', { revision })).toThrow(compacted);
          expect(() => store.range({ prefix: '/', revision })).toThrow(compacted);
          expect(() => store.watch({ prefix: '/', after: revision })).toThrow(compacted);
        }
        expect(store.range({ prefix: '/', revision: 5 }).entries).toMatchObject([{ key: '/a', value: '2' }]);
        expect(await collect(store.watch({ prefix: '/', after: 5 }), 1)).toMatchObject([{ key: '/c' }]);
      });

      it('ignores a compacted revision and rejects a future one', async () => {
        await put(store, '/a', '1');
        await store.compact(2);
        await store.compact(1);
        expect(store.compacted).toBe(2);
        await expect(store.compact(3)).rejects.toMatchObject({ code: 'FutureRevision' });
      });

      it('compacts events that exceed the age limit', async () => {
        const clock = { time: 1_000_000, monotonic: () => clock.time };
        await using kept = disposable(await open({ clock, retention: { maxAge: 60_000 } }));
        for (let second = 0; second < 120; second++) {
          await put(kept.store, '/a', String(second));
          clock.time += 1_000;
        }
        const youngest = kept.store.revision - kept.store.compacted;
        expect(youngest).toBeGreaterThanOrEqual(60);
        expect(youngest).toBeLessThan(65);
      });

      it('keeps at least the minimum number of events, and not many more', async () => {
        await using kept = disposable(await open({ retention: { maxEvents: 640 } }));
        for (let i = 0; i < 2_000; i++) await put(kept.store, `/${i % 10}`, 'x');
        const events = kept.store.revision - kept.store.compacted;
        expect(events).toBeGreaterThanOrEqual(640);
        expect(events).toBeLessThanOrEqual(650);
      });

      it('keeps no more bytes of history than allowed', async () => {
        await using kept = disposable(await open({ retention: { maxBytes: 100 * (1_000 + EVENT_BYTES) } }));
        for (let i = 0; i < 300; i++) await put(kept.store, '/a', 'x'.repeat(1_000));
        expect(kept.store.revision - kept.store.compacted).toBeLessThanOrEqual(100);
        expect(kept.store.revision - kept.store.compacted).toBeGreaterThan(80);
      });

      it('keeps no more bytes of deleted values than allowed', async () => {
        await using kept = disposable(await open({ retention: { maxBytes: 100 * (1_000 + EVENT_BYTES) } }));
        for (let i = 0; i < 300; i++) await put(kept.store, `/${i}`, 'x'.repeat(1_000));
        for (let i = 0; i < 300; i++) await kept.store.delete(`/${i}`);
        expect(kept.store.revision - kept.store.compacted).toBeLessThanOrEqual(100);
      });
    });
  });
}

/** Puts a value, expects success, and returns the revision. */
export async function put(store: Store, key: string, value: string | ((revision: number) => string)): Promise<number> {
  const outcome = await store.put(key, value);
  if (!outcome.done) throw new Error(`${key} was not written`);
  return outcome.event.revision;
}

async function collectItems(watch: Watch, count: number): Promise<(StoreEvent | ProgressNotify)[]> {
  const items: (StoreEvent | ProgressNotify)[] = [];
  for await (const batch of watch) {
    items.push(...batch);
    if (items.length >= count) break;
  }
  return items;
}

/** Returns the first events of a watch, ignoring progress. */
export async function collect(watch: Watch, count: number): Promise<StoreEvent[]> {
  const items = await collectItems(watch, count);
  return items.filter((item) => item.type !== 'progress');
}

async function drain(watch: Watch): Promise<number> {
  let events = 0;
  for await (const batch of watch) events += batch.length;
  return events;
}

function disposable(store: Store) {
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
