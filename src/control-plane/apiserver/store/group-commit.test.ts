import { beforeEach, describe, expect, it } from 'vitest';
import type { Compaction, Journal } from './journal.ts';
import { RevisionStore } from './revision-store.ts';
import type { Store } from './store.ts';
import { Timeline } from './timeline.ts';
import type { Version } from './version.ts';

/** Implements a journal whose commits end when and how the test decides. */
class ManualJournal implements Journal {
  readonly place = 'memory';
  readonly commits: {
    versions: readonly Version[];
    compaction: Compaction | undefined;
    end: PromiseWithResolvers<void>;
  }[] = [];

  append(versions: readonly Version[], compaction: Compaction | undefined): Promise<void> {
    const end = Promise.withResolvers<void>();
    this.commits.push({ versions, compaction, end });
    return end.promise;
  }

  check(): void {}

  async close(): Promise<void> {}

  get keys(): string[][] {
    return this.commits.map(({ versions }) => versions.map(({ key }) => key));
  }
}

/** Lets everything run that waits only for promises. */
const turn = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('group commit', () => {
  let journal: ManualJournal;
  let store: Store;
  beforeEach(() => {
    journal = new ManualJournal();
    store = new RevisionStore({ clock: { monotonic: () => 0 } }, new Timeline(), journal);
  });

  it('collects all writes that arrive during one commit into the next', async () => {
    const writes = ['/a', '/b'].map((key) => store.put(key, 'x'));
    await turn();
    writes.push(...['/c', '/d', '/e'].map((key) => store.put(key, 'x')));
    await turn();
    expect(journal.keys).toEqual([['/a', '/b']]);
    journal.commits[0]?.end.resolve();
    await turn();
    expect(journal.keys).toEqual([
      ['/a', '/b'],
      ['/c', '/d', '/e'],
    ]);
    journal.commits[1]?.end.resolve();
    expect((await Promise.all(writes)).map((outcome) => outcome.done && outcome.event.revision)).toEqual([
      2, 3, 4, 5, 6,
    ]);
  });

  it('shows a write to no reader before it is durable, and then to all', async () => {
    const watch = store.watch({ prefix: '/' })[Symbol.asyncIterator]();
    const seen = watch.next();
    let answered = false;
    const write = store.put('/a', 'x').finally(() => (answered = true));
    await turn();
    expect(store.get('/a')).toBeUndefined();
    expect(store.range({ prefix: '/' })).toMatchObject({ entries: [], revision: 1 });
    expect(store.revision).toBe(1);
    expect(store.latest('/a')).toMatchObject({ value: 'x', revision: 2 });
    expect(answered).toBe(false);
    journal.commits[0]?.end.resolve();
    await write;
    expect(store.get('/a')?.value).toBe('x');
    expect((await seen).value).toMatchObject([{ revision: 2 }]);
  });

  it('checks a write against pending ones before it, in the same commit or an earlier one', async () => {
    const first = store.put('/a', '1', { expected: 0 });
    const second = store.put('/a', '2', { expected: 2 });
    await turn();
    const third = store.put('/a', '3', { expected: 3 });
    const gone = store.delete('/a', { expected: 4 });
    const again = store.put('/a', '5', { expected: 0 });
    journal.commits[0]?.end.resolve();
    await turn();
    const later = store.put('/a', '6', { expected: 6 });
    journal.commits[1]?.end.resolve();
    await turn();
    journal.commits[2]?.end.resolve();
    for (const write of [first, second, third, gone, again, later]) expect(await write).toMatchObject({ done: true });
    expect(store.get('/a')).toMatchObject({ value: '6', revision: 7, createRevision: 6 });
  });

  it('rejects a write because of a pending one only when that one is durable', async () => {
    const first = store.put('/a', '1');
    let rejected = false;
    const second = store.put('/a', '2', { expected: 0 }).finally(() => (rejected = true));
    await turn();
    expect(rejected).toBe(false);
    journal.commits[0]?.end.resolve();
    await first;
    expect(await second).toMatchObject({ done: false, current: { value: '1', revision: 2 } });
  });

  it('rejects a write without waiting for unrelated ones', async () => {
    const held = store.put('/b', '1');
    expect(await store.put('/a', '1', { expected: 7 })).toEqual({ done: false, current: undefined });
    await turn();
    journal.commits[0]?.end.resolve();
    await held;
  });

  it('fails a write that could not be stored with all that were checked after it, and continues without them', async () => {
    const kept = store.put('/a', '0');
    await turn();
    journal.commits[0]?.end.resolve();
    await kept;

    const watch = store.watch({ prefix: '/' })[Symbol.asyncIterator]();
    const lost = [store.put('/a', '1'), store.put('/b', '1')];
    await turn();
    lost.push(store.put('/b', '2', { expected: 4 }));
    const decidedAgain = store.put('/b', '3', { expected: 0 });
    journal.commits[1]?.end.reject(new Error('disk full'));
    for (const write of lost) {
      await expect(write).rejects.toMatchObject({ code: 'Unavailable', cause: { message: 'disk full' } });
    }
    expect(store).toMatchObject({ revision: 2, compacted: 1 });
    expect(store.latest('/a')?.value).toBe('0');

    await turn();
    journal.commits[2]?.end.resolve();
    expect(await decidedAgain).toMatchObject({ done: true, event: { revision: 3 } });
    expect((await watch.next()).value).toMatchObject([{ key: '/b', revision: 3, entry: { value: '3' } }]);
  });

  it('commits a compaction with the next write, and keeps it if that fails', async () => {
    const write = async (end: 'resolve' | 'reject') => {
      const response = store.put('/a', 'x').catch(() => undefined);
      await turn();
      journal.commits.at(-1)?.end[end](undefined);
      await response;
    };
    await write('resolve');
    await write('resolve');
    const compacted = expect(store.compact(3)).rejects.toMatchObject({ code: 'Unavailable' });
    await turn();
    journal.commits.at(-1)?.end.reject(new Error('disk full'));
    await compacted;
    await write('reject');
    await write('resolve');
    await write('resolve');
    expect(journal.commits.map(({ compaction }) => compaction)).toEqual([
      undefined,
      undefined,
      ...Array.from({ length: 3 }, () => ({ revision: 3, useless: [2] })),
      undefined,
    ]);
  });
});
