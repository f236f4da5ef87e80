import { createInterface } from 'node:readline';
import { realClock } from '#platform/base/clock';
import { openLmdbStore } from './lmdb-store.ts';

/**
 * Writes until storage fails, and reports the state as JSON. Then writes once per line of input, and reports the
 * outcome, until that succeeds. Arguments: directory, size of a value.
 */
const [, , directory = '', size = '2000'] = process.argv;
const store = await openLmdbStore({ directory, clock: realClock });
const failures = new Set<unknown>();
let message = '';
let acknowledged = 0;
const report = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
const write = async (): Promise<void> => {
  try {
    const outcome = await store.put(`/r/${store.range({ prefix: '', limit: 0 }).remaining}`, 'x'.repeat(Number(size)));
    if (outcome.done) acknowledged = outcome.event.revision;
  } catch (error) {
    failures.add((error as { code?: unknown }).code);
    message = (error as Error).message;
  }
};
while (failures.size === 0) await Promise.all([write(), write(), write()]);
await write();
report({ revision: store.revision, acknowledged, failures: [...failures], message });
for await (const _ of createInterface(process.stdin)) {
  try {
    const outcome = await store.put('/after', 'x', { expected: 0 });
    report(outcome.done && outcome.event.revision);
    break;
  } catch (error) {
    report((error as Error).message);
  }
}
await store.close();
process.exit();
