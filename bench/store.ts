import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinedValues } from '#control-plane/apiserver/store/joined-values';
import { openLmdbStore } from '#control-plane/apiserver/store/lmdb-store';
import { openMemoryStore } from '#control-plane/apiserver/store/memory-store';
import type { Store } from '#control-plane/apiserver/store/store';
import { realClock } from '#platform/base/clock';

const OBJECTS = 100_000;
const WATCHERS = 1_000;
const key = (i: number): string => `/registry/pods/namespace-${i % 50}/pod-${i}`;
/** Measures the store alone, without an API server around it. */
export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'bench-store-'));
  try {
    const objects = makeObjects();
    const memory = openMemoryStore({ clock: realClock });
    await creates('memory', memory, objects, 64, 200_000);
    await reads(memory);
    await memory.close();

    for (const durability of ['sync', 'relaxed'] as const) {
      const store = await openLmdbStore({ directory: join(root, durability), durability, clock: realClock });
      await creates(
        `LMDB ${durability}`,
        store,
        durability === 'sync' ? objects : objects.slice(0, 20_000),
        64,
        10_000,
      );
      if (durability === 'sync') {
        await oneAtATime(store, objects);
        await fanOut(store, objects);
      }
      await store.close();
    }
    // A separate process has nothing else in its memory.
    process.stdout.write(execFileSync(process.execPath, [import.meta.filename, 'reopen', join(root, 'sync')]));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Creates objects of 2 KiB before the measurement, since serializing JSON is the API server's part. */
function makeObjects(): string[] {
  return Array.from({ length: OBJECTS }, (_, i) => {
    const metadata = { name: `pod-${i}`, namespace: `namespace-${i % 50}`, resourceVersion: String(i + 2) };
    return JSON.stringify({ metadata, spec: { data: 'x'.repeat(1_940) } });
  });
}

async function creates(
  name: string,
  store: Store,
  objects: readonly string[],
  inFlight: number,
  target: number,
): Promise<void> {
  const count = objects.length;
  const latencies: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const i = next++;
      const start = realClock.monotonic();
      await store.put(key(i), objects[i]!, { expected: 0 });
      latencies.push(realClock.monotonic() - start);
    }
  };
  const time = await measureMs(() => Promise.all(Array.from({ length: inFlight }, client)));
  const perSecond = (count / time) * 1_000;
  report(`${name}: creates, ${inFlight} in flight`, perSecond, '/s', perSecond < target ? `below ${target}` : '');
  report(`${name}: create p99`, percentile(latencies, 0.99), 'ms');
}

async function oneAtATime(store: Store, objects: readonly string[]): Promise<void> {
  const count = 1_000;
  const time = await measureMs(async () => {
    for (let i = 0; i < count; i++) await store.put(key(i), objects[i]!);
  });
  report('LMDB sync: updates one at a time', (count / time) * 1_000, '/s');
}

async function reads(store: Store): Promise<void> {
  const count = 1_000_000;
  const gets = await measureMs(() => {
    for (let i = 0; i < count; i++) store.get(key((i * 7_919) % OBJECTS));
  });
  report('gets', (count / gets) * 1_000, '/s');
  for (const limit of [500, 3_000, 10_000]) {
    const join = () => {
      const { entries } = store.range({ prefix: '/registry/pods/', limit });
      let bytes = 0;
      for (const piece of joinedValues(entries)) bytes += piece.length;
      return bytes;
    };
    report(`range of ${limit}, joined into bytes`, await median(join), 'ms');
  }
  report(`range of ${OBJECTS}`, await median(() => store.range({ prefix: '/registry/pods/' })), 'ms');
}

async function fanOut(store: Store, objects: readonly string[]): Promise<void> {
  const watches = Array.from({ length: WATCHERS }, () => store.watch({ prefix: '/registry/pods/' }));
  const others = Array.from({ length: WATCHERS }, (_, i) => store.watch({ prefix: `/registry/other-${i}/` }));
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const served = watches.map((watch) => watch[Symbol.asyncIterator]().next());
    times.push(await measureMs(() => Promise.all([store.put(key(round), objects[round]!), ...served])));
  }
  report(
    `one durable write until ${WATCHERS} watchers have it, worst of 20`,
    Math.max(...times),
    'ms',
    Math.max(...times) > 50 ? 'above 50' : '',
  );
  for (const watch of [...watches, ...others]) watch.close();
}

/** Opens the store that the benchmark has left. */
async function reopen(directory: string): Promise<void> {
  let store: Store | undefined;
  const time = await measureMs(async () => {
    store = await openLmdbStore({ directory, clock: realClock });
  });
  const { entries } = store!.range({ prefix: '/registry/pods/' });
  report(`reopening ${entries.length} objects of 2 KiB`, time, 'ms', time > 3_000 ? 'above 3000' : '');
  const mebibytes = process.memoryUsage().rss / 1024 / 1024;
  report('memory of that process', mebibytes, 'MiB', mebibytes > 1_536 ? 'above 1536' : '');
  await store!.close();
}

async function measureMs(work: () => unknown): Promise<number> {
  const start = realClock.monotonic();
  await work();
  return realClock.monotonic() - start;
}

async function median(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 9; i++) times.push(await measureMs(work));
  return percentile(times, 0.5);
}

function percentile(values: number[], part: number): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

function report(what: string, figure: number, unit: string, verdict = ''): void {
  const digits = figure < 100 ? 2 : 0;
  const text = figure.toLocaleString('en', { maximumFractionDigits: digits });
  console.log(`${what.padEnd(64)} ${text.padStart(11)} ${unit.padEnd(4)} ${verdict}`.trimEnd());
}

if (import.meta.main) {
  if (process.argv[2] === 'reopen') await reopen(process.argv[3] ?? '');
  else await run();
}
