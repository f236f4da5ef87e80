import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import type { Durability } from './environment.ts';
import { openLmdbStore } from './lmdb-store.ts';

/**
 * Runs as the process that a crash test kills: writes as fast as it can and reports each outcome on standard output, by
 * synchronous writes, so that the outcomes are known however it dies. Arguments: directory, seed, durability, number of
 * writers.
 */
const STDOUT = 1;
export const KEYS = 200;

/** Returns a value that shows whether it is intact and which key it belongs to. */
export function sealedValue(key: string, revision: number, size: number): string {
  const body = `${key} ${revision} ${'ü'.repeat(size)}`;
  return `${createHash('sha1').update(body).digest('hex')} ${body}`;
}

async function main([directory = '', seed = '', durability = 'sync', writers = '0']: string[]): Promise<void> {
  say('starting');
  const store = await openLmdbStore({
    directory,
    durability: durability as Durability,
    clock: realClock,
    retention: { maxEvents: 3_000 },
  });
  say('open');
  const random = seededRandom(seed);
  const write = async (): Promise<void> => {
    const key = `/r/${random.int(1, KEYS)}`;
    const size = random.int(0, 3_000);
    const outcome =
      random.next() < 0.2
        ? await store.delete(key)
        : await store.put(key, (revision) => sealedValue(key, revision, size));
    if (outcome.done) say(`${outcome.event.revision} ${outcome.event.type} ${key}`);
  };
  const writer = async (): Promise<never> => {
    for (;;) await write();
  };
  await Promise.all(Array.from({ length: Number(writers) }, writer));
  await realClock.sleep(Number.POSITIVE_INFINITY);
}

function say(line: string): void {
  writeSync(STDOUT, `${line}\n`);
}

if (import.meta.main) await main(process.argv.slice(2));
