import { once } from 'node:events';
import { realClock } from '#platform/base/clock';
import { openLmdbStore } from './lmdb-store.ts';

/**
 * Writes until storage fails, reports the state as JSON, waits for a line, and writes once more. Argument: directory.
 */
const store = await openLmdbStore({ directory: process.argv[2] ?? '', clock: realClock });
const failures = new Set<unknown>();
let acknowledged = 0;
const write = async (): Promise<void> => {
  try {
    const outcome = await store.put(`/r/${store.range({ prefix: '', limit: 0 }).remaining}`, 'x'.repeat(2_000));
    if (outcome.done) acknowledged = outcome.event.revision;
  } catch (error) {
    failures.add((error as { code?: unknown }).code);
  }
};
while (failures.size === 0) await Promise.all([write(), write(), write()]);
await write();
const { revision } = store;
process.stdout.write(`${JSON.stringify({ revision, acknowledged, failures: [...failures] })}\n`);
await once(process.stdin, 'data');
const outcome = await store.put('/after', 'x', { expected: 0 });
process.stdout.write(`${JSON.stringify(outcome.done && outcome.event.revision)}\n`);
await store.close();
process.exit();
