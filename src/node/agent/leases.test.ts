import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/fake-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Client } from '../../kube/client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import { Leases } from './leases.ts';

const notFound = () => Promise.reject(new KubeError(404, 'NotFound', 'not found'));

/** A server that knows leases, and how to misbehave. */
class LeaseServer {
  readonly renewals: string[] = [];
  mood: 'well' | 'refuses' | 'hangs' = 'well';
  readonly known = new Map<string, string>();
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  get client(): Client {
    const write = async (name: string, renewTime: string) => {
      if (this.mood === 'hangs') await new Promise(() => {});
      if (this.mood === 'refuses') throw new TypeError('fetch failed');
      this.known.set(name, renewTime);
      this.renewals.push(`${name} at ${this.#clock.monotonic()}`);
      return {};
    };
    const client = {
      create: async (
        _type: unknown,
        { metadata: { name }, spec }: { metadata: { name: string }; spec: { renewTime: string } },
      ) => {
        if (this.known.has(name)) throw new KubeError(409, 'AlreadyExists', 'there is one');
        return await write(name, spec.renewTime);
      },
      patch: async (_type: unknown, name: string, { body }: { body: { spec: { renewTime: string } } }) =>
        this.known.has(name) ? await write(name, body.spec.renewTime) : await notFound(),
      get: async (_type: unknown, name: string) => ({ spec: { renewTime: this.known.get(name) } }),
    };
    return client as unknown as Client;
  }
}

describe('the leases of nodes', () => {
  let clock: FakeClock;
  let server: LeaseServer;
  let leases: Leases;
  let stop: AbortController;
  let done: Promise<void>;
  let told: string[];
  const begin = () => {
    leases = new Leases({
      client: server.client,
      clock,
      log: silentLogger,
      onHeld: (node) => void told.push(`${node} held at ${clock.monotonic()}`),
      onLapsed: (node) => void told.push(`${node} lapsed at ${clock.monotonic()}`),
    });
    stop = new AbortController();
    done = leases.run(stop.signal);
  };
  beforeEach(() => {
    clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    server = new LeaseServer(clock);
    told = [];
    begin();
  });
  afterEach(async () => {
    stop.abort();
    await done;
    expect(clock.pending).toBe(0);
  });

  it('are renewed together, every 20 s', async () => {
    for (const node of ['a', 'b']) leases.add(node);
    await clock.advance(45_000);
    expect(server.renewals).toEqual(['a at 0', 'b at 0', 'a at 20000', 'b at 20000', 'a at 40000', 'b at 40000']);
    expect(told).toEqual(['a held at 0', 'b held at 0']);
  });

  it('need two timers, however many they are', async () => {
    for (let i = 0; i < 500; i++) leases.add(`n${i}`);
    await clock.advance(100);
    expect(server.renewals).toHaveLength(500);
    expect(clock.pending).toBe(2);
  });

  it('are tried again every 2 s, and lapse 30 s after the last renewal was sent', async () => {
    leases.add('a');
    await clock.advance(21_000);
    server.mood = 'refuses';
    await clock.advance(28_999);
    expect(leases.held('a')).toBe(true);
    await clock.advance(1);
    expect(leases.held('a')).toBe(false);
    expect(told).toEqual(['a held at 0', 'a lapsed at 50000']);
    server.mood = 'well';
    await clock.advance(2_000);
    expect(leases.held('a')).toBe(true);
    expect(told.at(-1)).toBe('a held at 52000');
  });

  it('lapse in time though a request hangs', async () => {
    leases.add('a');
    await clock.advance(1_000);
    server.mood = 'hangs';
    await clock.advance(29_000);
    expect(told).toEqual(['a held at 0', 'a lapsed at 30000']);
    server.mood = 'well';
    await clock.advance(6_000);
    expect(leases.held('a')).toBe(true);
  });

  it('lapse, and are held again, where a process stood still for too long', async () => {
    const late = new FakeClock();
    let behind = 0;
    // Timers fire, but all of them late.
    const stalled = Object.assign(Object.create(late) as FakeClock, {
      now: () => late.now() + behind,
      monotonic: () => late.monotonic() + behind,
      timer: (ms: number, fn: () => void) => late.timer(ms, fn),
      sleep: (ms: number, signal?: AbortSignal) => late.sleep(ms, signal),
    });
    const heard: string[] = [];
    const other = new Leases({
      client: new LeaseServer(late).client,
      clock: stalled,
      log: silentLogger,
      onHeld: () => void heard.push('held'),
      onLapsed: () => void heard.push('lapsed'),
    });
    const end = new AbortController();
    const ended = other.run(end.signal);
    other.add('a');
    await late.advance(10_000);
    behind = 60_000;
    await late.advance(10_000);
    expect(heard).toEqual(['held', 'lapsed', 'held']);
    end.abort();
    await ended;
  });

  it('that are held back are not renewed, and lapse', async () => {
    leases.add('a');
    leases.add('b');
    await clock.advance(1_000);
    leases.pause('a', true);
    await clock.advance(60_000);
    expect(leases.held('a')).toBe(false);
    expect(leases.held('b')).toBe(true);
    leases.pause('a', false);
    await clock.advance(1);
    expect(leases.held('a')).toBe(true);
    expect(told).toEqual(['a held at 0', 'b held at 0', 'a lapsed at 30000', 'a held at 61000']);
  });

  it('say whether they had lapsed before', async () => {
    server.known.set('fresh', '2029-12-31T23:59:40.000000Z');
    server.known.set('old', '2029-12-31T23:59:20.000000Z');
    for (const node of ['fresh', 'old', 'new']) leases.add(node);
    await clock.advance(10);
    expect(['fresh', 'old', 'new'].map((node) => leases.foundLapsed(node))).toEqual([false, true, false]);
  });

  it('are made again where somebody took them away, and forgotten where the node is gone', async () => {
    leases.add('a');
    await clock.advance(1_000);
    server.known.delete('a');
    await clock.advance(19_000);
    expect(server.known.has('a')).toBe(true);
    leases.remove('a');
    server.renewals.length = 0;
    await clock.advance(60_000);
    expect(server.renewals).toEqual([]);
    expect(told).toEqual(['a held at 0']);
  });
});
