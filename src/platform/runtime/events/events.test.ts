import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS, NAMESPACES } from '#platform/kube/kinds/core';
import { EVENTS } from '#platform/kube/kinds/event';
import { type Cluster, startCluster } from '#testing/cluster';
import { runnable } from '../controller.ts';
import { Informers } from '../informers.ts';
import { manager } from '../manager.ts';
import { AdaptiveBatch } from './adaptive-batch.ts';
import { type EventDrop, Events } from './events.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster.stop());

const namespace = 'default';
const object = (name = 'web') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, uid: `uid-of-${name}`, resourceVersion: '7' },
});

function eventsWith(client: Client = cluster.admin, more: { capacity?: number } = {}) {
  const dropped: EventDrop[] = [];
  const events = new Events({ ...cluster, client, ...more, onDrop: (why) => void dropped.push(why) });
  return { events, dropped, recorder: events.recorder('test') };
}

async function written() {
  const { items } = await cluster.admin.list(EVENTS, { namespace });
  return items
    .map(({ reason, message, count }) => `${reason} ${message} x${count}`)
    .filter((line) => !line.startsWith('Else'));
}

/** Creates the admin's client, which counts its writes and fails on request. */
function watchedClient(fail: (verb: string, calls: number) => Error | undefined = () => undefined) {
  const calls: string[] = [];
  const before = (verb: string) => {
    calls.push(verb);
    const error = fail(verb, calls.length);
    if (error !== undefined) throw error;
  };
  const client: Client = {
    ...cluster.admin,
    create: async (...args) => {
      before('create');
      return await cluster.admin.create(...args);
    },
    patch: async (...args) => {
      before('patch');
      return await cluster.admin.patch(...args);
    },
  };
  return { client, calls };
}

describe('the recorder of Events', () => {
  it('writes an Event immediately, and counts repetitions', async () => {
    const { events, recorder } = eventsWith();
    cluster.run(events);
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    await cluster.until(async () => (await written()).length === 1);
    const {
      items: [event],
    } = await cluster.admin.list(EVENTS, { namespace });
    expect(event).toMatchObject({
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
      involvedObject: { kind: 'ConfigMap', name: 'web', namespace, uid: 'uid-of-web', resourceVersion: '7' },
      source: { component: 'test' },
    });
    await cluster.clock.advance(5000);
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    await cluster.until(async () => (await written())[0] === 'Started it runs x2');
    const [again] = (await cluster.admin.list(EVENTS, { namespace })).items;
    expect([again?.firstTimestamp, again?.lastTimestamp]).toEqual(['2030-01-01T00:00:00Z', '2030-01-01T00:00:05Z']);
  });

  it('writes once what is repeated before it was written', async () => {
    const { client, calls } = watchedClient();
    const { events, recorder } = eventsWith(client);
    for (let i = 0; i < 20; i++) recorder.event(object(), 'Warning', 'Failed', 'no');
    cluster.run(events);
    await cluster.until(async () => (await written())[0] === 'Failed no x20');
    expect(calls).toEqual(['create']);
  });

  it('recreates an Event with its full count after the server has deleted it', async () => {
    const { events, recorder } = eventsWith();
    cluster.run(events);
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    await cluster.until(async () => (await written()).length === 1);
    await cluster.admin.deleteCollection(EVENTS, { namespace });
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    expect(await cluster.until(async () => (await written())[0])).toBe('Started it runs x2');
  });

  it('uses another name if its own is taken', async () => {
    const [a, b] = [eventsWith(), eventsWith()];
    // Both use the same seed and so choose the same names.
    a.recorder.event(object(), 'Normal', 'Started', 'a');
    b.recorder.event(object(), 'Normal', 'Started', 'b');
    cluster.run(a.events);
    cluster.run(b.events);
    await cluster.until(async () => (await written()).length === 2);
    expect([...a.dropped, ...b.dropped]).toEqual([]);
  });

  it('drops Events beyond its limit, and logs that once', async () => {
    const { events, recorder, dropped } = eventsWith(cluster.admin, { capacity: 3 });
    for (let i = 0; i < 5; i++) recorder.event(object(`web-${i}`), 'Normal', 'Started', 'it runs');
    expect([events.size, dropped]).toEqual([3, ['queue_full', 'queue_full']]);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toHaveLength(1);
    cluster.run(events);
    await cluster.until(async () => (await written()).length === 3);
  });

  it('drops what the server rejects, and retries after a failed request', async () => {
    const { client, calls } = watchedClient((_verb, count) => (count <= 2 ? new Error('no way there') : undefined));
    const { events, recorder, dropped } = eventsWith(client);
    cluster.run(events);
    recorder.event({ ...object(), metadata: { name: 'x', namespace: 'nowhere' } }, 'Normal', 'Started', 'it runs');
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    await cluster.settle();
    expect(await written()).toEqual([]);
    await cluster.clock.advance(10_000);
    await cluster.until(async () => (await written()).length === 1);
    await cluster.until(() => dropped.length === 1);
    expect([calls, dropped]).toEqual([['create', 'create', 'create', 'create'], ['failed']]);
  });

  it('silently drops Events of a terminating namespace', async () => {
    await cluster.admin.create(NAMESPACES, { metadata: { name: 'old' } });
    await cluster.admin.delete(NAMESPACES, 'old');
    const { events, recorder, dropped } = eventsWith();
    cluster.run(events);
    recorder.event({ ...object(), metadata: { name: 'x', namespace: 'old' } }, 'Normal', 'Started', 'it runs');
    await cluster.until(() => dropped.length === 1);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('writes pending Events when it is stopped', async () => {
    const { events, recorder } = eventsWith();
    const stop = cluster.run(events);
    for (let i = 0; i < 300; i++) recorder.event(object(`web-${i}`), 'Normal', 'Started', 'it runs');
    await stop();
    expect(await written()).toHaveLength(300);
  });

  it('stops in bounded time without a response, and accepts nothing more', async () => {
    const silent: Client = { ...cluster.admin, create: () => new Promise(() => {}) };
    const { events, recorder, dropped } = eventsWith(silent);
    const stop = cluster.run(events);
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    await cluster.settle();
    const stopped = stop();
    let over = false;
    void stopped.then(() => (over = true));
    await cluster.clock.advance(499);
    expect(over).toBe(false);
    await cluster.clock.advance(1);
    await stopped;
    recorder.event(object(), 'Normal', 'Started', 'it runs');
    expect(dropped).toContain('stopped');
  });

  it('is passed to controllers', async () => {
    const { events, recorder } = eventsWith();
    const informers = new Informers({ ...cluster, client: cluster.admin });
    const parts = { ...cluster, client: cluster.admin, informers, events: recorder };
    const controller = runnable(
      {
        name: 'test',
        for: CONFIG_MAPS,
        selection: { namespace },
        async reconcile(map, context) {
          context.events.event(map, 'Normal', 'Seen', 'it was seen');
        },
      },
      parts,
    );
    cluster.run(manager('test', [informers, events, controller]));
    await cluster.admin.create(CONFIG_MAPS, { metadata: { name: 'a', namespace } });
    expect(await cluster.until(async () => (await written())[0])).toBe('Seen it was seen x1');
  });
});

describe('an adaptive delay', () => {
  it('grows while the process is busy and shrinks afterwards', async () => {
    const clock = new FakeClock();
    let busyMs = 0;
    // A busy process runs its timers late.
    const late = { ...clock, monotonic: () => clock.monotonic(), sleep: (ms: number) => clock.sleep(ms + busyMs) };
    const pace = new AdaptiveBatch(late as unknown as FakeClock);
    const { signal } = new AbortController();
    const turns = async (count: number) => {
      const batches: number[] = [];
      for (let i = 0; i < count; i++) {
        const next = pace.next(true, signal);
        await clock.advance(100);
        batches.push(await next);
      }
      return batches;
    };
    expect(await turns(2)).toEqual([64, 64]);
    busyMs = 20;
    expect(await turns(5)).toEqual([32, 16, 8, 4, 4]);
    busyMs = 0;
    expect(await turns(4)).toEqual([8, 12, 16, 20]);
    expect((await turns(12)).at(-1)).toBe(64);
  });
});
