import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import type { FilterName } from '../framework/plugin-name.ts';
import { type PodOptions, pod } from '../harness.fixture.ts';
import { Heap } from './heap.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const BY_FIT: ReadonlySet<FilterName> = new Set(['NodeResourcesFit']);
let clock: FakeClock;
let queue: SchedulingQueue;
let reported: number;

beforeEach(() => {
  clock = new FakeClock();
  reported = 0;
  queue = new SchedulingQueue({ clock, ready: () => reported++ });
});

const never = () => false;
const add = (name: string, parts: PodOptions = {}) => queue.set(pod(name, parts), never);
const popped = () => queue.pop()?.info.name;
const refuse = () => {
  const queued = queue.pop();
  if (queued !== undefined) queue.refused(queued, BY_FIT);
  return queued;
};

test('higher priority comes first, then the older pod', async () => {
  add('low');
  await clock.advance(1);
  add('high', { priority: 10 });
  add('second', { priority: 10 });
  await clock.advance(1);
  add('later');
  expect([popped(), popped(), popped(), popped(), popped()]).toEqual(['high', 'second', 'low', 'later', undefined]);
});

test('a pod whose priority changes moves in the queue', () => {
  add('a');
  add('b');
  add('b', { priority: 5 });
  expect(popped()).toBe('b');
});

test('a deleted pod is not scheduled', () => {
  add('a');
  queue.remove('uid-default-a');
  expect([popped(), queue.size]).toEqual([undefined, 0]);
});

test('an unschedulable pod waits until an event may help it', () => {
  add('a');
  refuse();
  expect(queue.hasReady).toBe(false);
  queue.wake(() => false);
  expect(queue.hasReady).toBe(false);
  queue.wake(({ unschedulablePlugins }) => unschedulablePlugins.has('NodeResourcesFit'));
  expect(popped()).toBe('a');
});

test('a pod in back-off comes after all others, but at once if there are none', async () => {
  add('a');
  refuse();
  queue.wake(() => true);
  add('b');
  expect([popped(), popped()]).toEqual(['b', 'a']);
});

test('the back-off doubles from one second to ten', () => {
  const queued = add('a');
  const waits: number[] = [];
  for (let i = 0; i < 6; i++) {
    refuse();
    waits.push(queued.due - clock.monotonic());
    queue.wake(() => true);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test('a pod whose back-off has ended is queued like others', async () => {
  add('a');
  refuse();
  await clock.advance(1_000);
  queue.wake(() => true);
  add('b');
  expect(popped()).toBe('a');
});

test('after an error a pod always waits for its back-off', async () => {
  add('a');
  const queued = queue.pop();
  if (queued === undefined) throw new Error('no pod');
  queue.failed(queued);
  expect(queue.hasReady).toBe(false);
  await clock.advance(999);
  expect(queue.hasReady).toBe(false);
  await clock.advance(1);
  expect(popped()).toBe('a');
  expect(reported).toBe(2);
});

test('an unschedulable pod is retried after five minutes without an event', async () => {
  add('a');
  refuse();
  await clock.advance(299_000);
  expect(queue.hasReady).toBe(false);
  await clock.advance(31_000);
  expect(popped()).toBe('a');
});

describe('scheduling gates', () => {
  const gated = { schedulingGates: [{ name: 'g' }] };
  test('keep a pod out of the queue until they are removed', () => {
    add('a', gated);
    queue.wake(() => true);
    expect(queue.hasReady).toBe(false);
    add('a');
    expect(popped()).toBe('a');
  });
});

test('an update of the pod itself may help it', () => {
  add('a');
  refuse();
  add('a');
  expect(queue.hasReady).toBe(false);
  queue.set(pod('a', { labels: { x: '' } }), (before, after) => before.labels !== after.labels);
  expect(popped()).toBe('a');
});

test('no timer is set if no pod waits', () => {
  add('a');
  popped();
  expect(clock.pending).toBe(0);
});

test('a heap returns its items in order after any insertions and removals', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer(), fc.boolean())), (given) => {
      const heap = new Heap<{ place: number; value: number }>((a, b) => a.value < b.value);
      const items = given.map(([value, stays]) => ({ place: -1, value, stays }));
      for (const item of items) heap.push(item);
      for (const item of items) if (!item.stays) heap.remove(item);
      const out: number[] = [];
      for (let item = heap.pop(); item !== undefined; item = heap.pop()) out.push(item.value);
      const expected = items.filter(({ stays }) => stays).map(({ value }) => value);
      expect(out).toEqual(expected.sort((a, b) => a - b));
    }),
  );
});
