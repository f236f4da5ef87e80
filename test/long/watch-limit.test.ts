import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Plane, startPlane } from '#control-plane/apiserver/apiextensions/plane.fixture';
import { FakeClock } from '#platform/base/fake-clock';

const EVENTS = 400;
const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const PATH = '/api/v1/namespaces/default/configmaps';
const clock = new FakeClock({ start: Date.UTC(2026, 0, 1) });
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane({ clock });
});
afterAll(async () => {
  await plane.plane.stop();
});

interface Reading {
  lines(): number;
  readonly ended: Promise<void>;
}

async function watch(parameters: string): Promise<Reading> {
  const { url, adminToken } = plane.plane;
  const answer = await fetch(`${url}${PATH}?watch=1&resourceVersion=0&${parameters}`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString('utf8');
  };
  return { ended: read(), lines: () => text.split('\n').length - 1 };
}

async function write(from: number, count: number): Promise<void> {
  const metadata = { namespace: 'default' };
  for (let i = from; i < from + count; i++) {
    await plane.client.create(CONFIG_MAPS, { metadata: { ...metadata, name: `c-${i}` } });
  }
}

// Objects are counted in a snapshot of the whole heap.
const SLOW = { timeout: 60_000 };

test('a watch with a timeout retains none of the events that it has sent', SLOW, async () => {
  const reading = await watch('timeoutSeconds=3600');
  await write(0, 50);
  await plane.until(() => reading.lines() >= 50);
  const before = queryObjects(Promise, { format: 'count' });
  const timers = clock.pending;
  await write(50, EVENTS);
  await plane.until(() => reading.lines() >= 50 + EVENTS);
  expect(queryObjects(Promise, { format: 'count' }) - before).toBeLessThan(EVENTS / 4);
  expect(clock.pending).toBe(timers);
  await clock.advance(3_600_000);
  await reading.ended;
});

test('a watch ends cleanly at its timeout, and not before', async () => {
  const reading = await watch('timeoutSeconds=20');
  await clock.advance(19_000);
  const seen = reading.lines();
  await write(10_000, 1);
  await plane.until(() => reading.lines() > seen);
  await clock.advance(1_000);
  await reading.ended;
});

test('a negative timeout ends at once, and zero means none', async () => {
  const over = await watch('timeoutSeconds=-1');
  await clock.advance(0);
  await over.ended;
  const open = await watch('timeoutSeconds=0');
  await clock.advance(10 * 3_600_000);
  const seen = open.lines();
  await write(20_000, 1);
  await plane.until(() => open.lines() > seen);
  // It ends only with the server.
  open.ended.catch(() => {});
});
