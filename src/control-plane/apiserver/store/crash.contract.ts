import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { realClock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import { sealedValue } from './crash-writer.contract.ts';
import type { Durability } from './environment.ts';
import { openLmdbStore } from './lmdb-store.ts';
import type { Store, StoreEvent } from './store.ts';

interface Acknowledged {
  readonly revision: number;
  readonly type: string;
  readonly key: string;
}

/** Kills a writer this many times, each time at another moment, and checks the store's content after each. */
export async function surviveKills(directory: string, kills: number, durability: Durability, random: Random) {
  const newest = new Map<string, Acknowledged>();
  let acknowledged = 0;
  let revision = 1;
  for (let kill = 0; kill < kills; kill++) {
    const writes = await writeUntilKilled(directory, durability, random);
    const store = await openLmdbStore({ directory, durability, clock: realClock, retention: { maxEvents: 3_000 } });
    try {
      expect(Math.min(...writes.map((write) => write.revision)), 'a revision came twice').toBeGreaterThan(revision);
      for (const write of writes) {
        if (write.revision > (newest.get(write.key)?.revision ?? 0)) newest.set(write.key, write);
      }
      const events = await historyOf(store);
      checkState(store, newest, events);
      checkHistory(store, writes, events);
      expect(store.revision).toBeGreaterThanOrEqual(revision);
      revision = store.revision;
    } finally {
      await store.close();
    }
    acknowledged += writes.length;
  }
  return { acknowledged, revision };
}

/** Checks that every value is intact, and that no key is behind its newest acknowledged write. */
function checkState(store: Store, newest: ReadonlyMap<string, Acknowledged>, events: readonly StoreEvent[]): void {
  for (const { key, value, revision } of store.range({ prefix: '' }).entries) {
    const size = value.length - value.replaceAll('ü', '').length;
    expect(value).toBe(sealedValue(key, revision, size));
  }
  for (const { key, type, revision } of newest.values()) {
    // A write in progress when the writer died may be stored without having been acknowledged.
    if (events.some((event) => event.key === key && event.revision > revision)) continue;
    const entry = store.get(key);
    if (type === 'put') expect(entry?.revision, `${key} was lost`).toBe(revision);
    else expect(entry, `${key} is back`).toBeUndefined();
  }
}

/** Checks that history has one event per revision, including all acknowledged ones. */
function checkHistory(store: Store, writes: readonly Acknowledged[], events: readonly StoreEvent[]): void {
  expect(events.map(({ revision }) => revision)).toEqual(
    Array.from({ length: store.revision - store.compacted }, (_, i) => store.compacted + 1 + i),
  );
  const lost = writes.filter(({ revision, type, key }) => {
    const event = events[revision - store.compacted - 1];
    return revision > store.compacted && (event?.type !== type || event.key !== key);
  });
  expect(lost).toEqual([]);
}

async function historyOf(store: Store): Promise<StoreEvent[]> {
  const watch = store.watch({ prefix: '', after: store.compacted });
  watch.requestProgress();
  const events: StoreEvent[] = [];
  for await (const batch of watch) {
    events.push(...batch.filter((item) => item.type !== 'progress'));
    if (batch.at(-1)?.type === 'progress') break;
  }
  return events;
}

/** Runs a writer until a random moment, which may be before it has opened the store. */
async function writeUntilKilled(directory: string, durability: Durability, random: Random): Promise<Acknowledged[]> {
  const writer = spawnWriter(directory, [random.hex(8), durability, String(random.int(1, 64))]);
  const lines = random.next() < 0.1 ? 1 : random.int(2, 2_000);
  const writes: Acknowledged[] = [];
  let seen = 0;
  for await (const line of createInterface(writer.stdout!)) {
    const [revision, type = '', key = ''] = line.split(' ');
    if (key !== '') writes.push({ revision: Number(revision), type, key });
    if (++seen === lines) writer.kill('SIGKILL');
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  expect(writer.signalCode, 'the writer ended by itself').toBe('SIGKILL');
  return writes;
}

/** Starts a process that opens a store and does nothing with it. */
export async function startWriter(directory: string): Promise<{ kill(): Promise<void> }> {
  const writer = spawnWriter(directory, ['none', 'sync', '0']);
  for await (const line of createInterface(writer.stdout!)) if (line === 'open') break;
  return {
    kill: async () => {
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    },
  };
}

function spawnWriter(directory: string, rest: readonly string[]): ChildProcess {
  const script = new URL('crash-writer.contract.ts', import.meta.url).pathname;
  return spawn(process.execPath, [script, directory, ...rest], { stdio: ['ignore', 'pipe', 'inherit'] });
}
