import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openLmdbStore } from '#control-plane/apiserver/store/lmdb-store';
import { openMemoryStore } from '#control-plane/apiserver/store/memory-store';
import type { Store } from '#control-plane/apiserver/store/store';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';

const OBJECTS = 5_000;
/** One hour at 200 writes a second, in rounds of ten minutes. */
const ROUNDS = 6;
const WRITES_A_ROUND = 120_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Random updates, deletions and creations while one watcher reads and another does not. */
async function churn(store: Store, pass: () => Promise<void>, measure: () => number[]): Promise<number[][]> {
  const random = seededRandom('churn');
  const stop = new AbortController();
  let seen = 0;
  const reading = (async () => {
    for await (const events of store.watch({ prefix: '/', signal: stop.signal })) seen += events.length;
  })();
  store.watch({ prefix: '/', signal: stop.signal });
  const write = async (): Promise<void> => {
    const key = `/registry/pods/${random.int(1, OBJECTS)}`;
    if (random.next() < 0.1) await store.delete(key);
    else await store.put(key, (revision) => JSON.stringify({ revision, data: 'x'.repeat(random.int(500, 3_500)) }));
  };
  const figures: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let written = 0; written < WRITES_A_ROUND; written += 100) {
      await Promise.all(Array.from({ length: 100 }, write));
      await pass();
    }
    collectGarbage();
    figures.push(measure());
  }
  stop.abort();
  await reading;
  expect(seen).toBe(store.revision - 1);
  return figures;
}

function heap(): number {
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

/** No measurement of a later round is much above that of the second, when history has reached its limit. */
function expectFlat(figures: readonly (readonly number[])[]): void {
  const reference = figures[1] ?? [];
  for (const figure of figures.slice(2)) {
    for (const [i, value] of figure.entries()) expect(value).toBeLessThan((reference[i] ?? 0) * 1.15);
  }
}

it('keeps memory flat over an hour of churn without a disk', async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  expectFlat(
    await churn(
      store,
      () => clock.advance(500),
      () => [heap(), store.revision - store.compacted],
    ),
  );
  await store.close();
});

it('keeps memory and file flat over an hour of churn on disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'store-churn-'));
  try {
    const clock = new FakeClock();
    const store = await openLmdbStore({ directory, clock });
    const size = () => statSync(join(directory, 'data.mdb')).size;
    expectFlat(
      await churn(
        store,
        () => clock.advance(500),
        () => [heap(), store.revision - store.compacted, size()],
      ),
    );
    const state = store.range({ prefix: '' }).entries.map(({ key, revision }) => [key, revision]);
    await store.close();
    const reopened = await openLmdbStore({ directory, clock });
    expect(reopened.range({ prefix: '' }).entries.map(({ key, revision }) => [key, revision])).toEqual(state);
    await reopened.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
