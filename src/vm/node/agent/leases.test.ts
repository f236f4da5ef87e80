import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import type { Lease } from '#platform/kube/kinds/node';
import { declareLost } from '#platform/kube/node-lease';
import { OwnClock } from '#platform/runtime/leader-elector.fixture';
import { Leases } from './leases.ts';
import { NodeLeaseServer } from './node-leases.fixture.ts';

/** Lease server that can misbehave. */
class MoodyServer extends NodeLeaseServer {
  readonly renewals: string[] = [];
  mood: 'well' | 'refuses' | 'hangs' = 'well';
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    super();
    this.#clock = clock;
  }

  reached(own: OwnClock): Client {
    return this.client(async () => {
      if (this.mood === 'hangs') await new Promise(() => {});
      if (this.mood === 'refuses') throw new TypeError('fetch failed');
      await own.awake();
    });
  }

  override create(...args: Parameters<NodeLeaseServer['create']>): Lease {
    return this.#note(super.create(...args));
  }

  override patch(...args: Parameters<NodeLeaseServer['patch']>): Lease {
    return this.#note(super.patch(...args));
  }

  #note(lease: Lease): Lease {
    this.renewals.push(`${lease.metadata.name} at ${this.#clock.monotonic()}`);
    return lease;
  }
}

describe('the leases of nodes', () => {
  let clock: FakeClock;
  let server: MoodyServer;
  let leases: Leases;
  let stop: AbortController;
  let done: Promise<void>;
  let told: string[];
  /** Clock of the process that renews. */
  let own: OwnClock;
  /** The machines of lost nodes have ended, and that is reported. */
  let settled: boolean;
  const say = (what: string) => (node: string) => void told.push(`${node} ${what} at ${clock.monotonic()}`);
  const begin = () => {
    own = new OwnClock(clock, 0, 1);
    leases = new Leases({
      client: server.reached(own),
      clock: own,
      log: noopLogger,
      onHeld: say('held'),
      onDoubt: say('doubted'),
      onLapsed: say('lapsed'),
      onLost: async (node) => {
        // The call for a node that never had a Lease is irrelevant here.
        if (server.leases.has(node)) say('lost')(node);
        return settled;
      },
    });
    stop = new AbortController();
    done = leases.run(stop.signal);
  };
  beforeEach(() => {
    clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    server = new MoodyServer(clock);
    told = [];
    settled = true;
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

  it('need two timers, however many there are', async () => {
    for (let i = 0; i < 500; i++) leases.add(`n${i}`);
    await clock.advance(100);
    expect(server.renewals).toHaveLength(500);
    expect(clock.pending).toBe(2);
  });

  it('are retried every 2 s, and expire 30 s after the last renewal was sent', async () => {
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

  it('expire on time even if a request hangs', async () => {
    leases.add('a');
    await clock.advance(1_000);
    server.mood = 'hangs';
    await clock.advance(29_000);
    expect(told).toEqual(['a held at 0', 'a lapsed at 30000']);
    server.mood = 'well';
    await clock.advance(6_000);
    expect(leases.held('a')).toBe(true);
  });

  describe.each([
    ['was stalled', false],
    ['was suspended with its host', true],
  ])('of a process that %s', (_how, machine) => {
    const sleep = async (ms: number) => {
      own.fallAsleep(machine);
      await clock.advance(ms);
      own.wake();
    };

    it('are in doubt, and are renewed before any machine is stopped', async () => {
      leases.add('a');
      await clock.advance(10_000);
      await sleep(600_000);
      expect(leases.held('a')).toBe(false);
      expect(leases.inDoubt('a')).toBe(true);
      await clock.advance(1_000);
      expect(leases.held('a')).toBe(true);
      expect(told).toEqual(['a held at 0', expect.stringMatching(/^a doubted/), expect.stringMatching(/^a held/)]);
    });

    it('are not in doubt if the interruption was short', async () => {
      leases.add('a');
      await clock.advance(10_000);
      await sleep(15_000);
      await clock.advance(60_000);
      expect(told).toEqual(['a held at 0']);
    });

    it('expire if the server cannot be reached, after the process ran for the usual time', async () => {
      leases.add('a');
      await clock.advance(10_000);
      server.mood = 'refuses';
      await sleep(600_000);
      await clock.advance(18_000);
      expect(told.map((word) => word.split(' ')[1])).toEqual(['held', 'doubted']);
      await clock.advance(3_000);
      expect(told.map((word) => word.split(' ')[1])).toEqual(['held', 'doubted', 'lapsed']);
    });

    it('are lost if the node was declared lost meanwhile, and taken back when that is resolved', async () => {
      settled = false;
      leases.add('a');
      server.create({ metadata: { name: 'a' }, spec: { renewTime: 'before' } });
      await clock.advance(10_000);
      own.fallAsleep(machine);
      await clock.advance(60_000);
      await declareLost(
        server.client(async () => {}),
        server.get('a'),
      );
      own.wake();
      await clock.advance(5_000);
      const words = told.map((word) => word.split(' ')[1]);
      expect(words.slice(0, 3)).toEqual(['held', 'doubted', 'lost']);
      expect(words).not.toContain('lapsed');
      expect(leases.neverLost('a')).toBe(false);
      const [renewedBefore] = [server.get('a').spec?.renewTime];
      expect(leases.held('a')).toBe(false);
      settled = true;
      await clock.advance(3_000);
      expect(leases.held('a')).toBe(true);
      expect(server.get('a').spec?.renewTime).not.toBe(renewedBefore);
      expect(server.get('a').metadata.annotations).toEqual({});
    });
  });

  it('are recognized as lost by a process that restarts', async () => {
    server.create({ metadata: { name: 'a' }, spec: { renewTime: 'then' } });
    await declareLost(
      server.client(async () => {}),
      server.get('a'),
    );
    server.create({ metadata: { name: 'b' }, spec: { renewTime: 'then' } });
    for (const node of ['a', 'b', 'c']) leases.add(node);
    expect(leases.neverLost('a')).toBeUndefined();
    await clock.advance(10);
    // Nothing is known about a node without a Lease.
    expect(['a', 'b', 'c'].map((node) => leases.neverLost(node))).toEqual([false, true, false]);
    expect(['a', 'b', 'c'].map((node) => leases.held(node))).toEqual([true, true, true]);
  });

  it('are not lost if another client writes them', async () => {
    leases.add('a');
    await clock.advance(1_000);
    server.patch('a', { metadata: { annotations: { 'example.com/note': 'x' } } });
    await clock.advance(60_000);
    expect(told).toEqual(['a held at 0']);
    expect(server.get('a').metadata.annotations).toEqual({ 'example.com/note': 'x' });
  });

  it('are created again after a deletion only while the node cannot have been declared lost', async () => {
    settled = false;
    leases.add('a');
    server.create({ metadata: { name: 'a' }, spec: { renewTime: 'before' } });
    await clock.advance(1_000);
    own.fallAsleep(false);
    await clock.advance(60_000);
    server.leases.delete('a');
    own.wake();
    await clock.advance(10_000);
    expect(server.leases.has('a')).toBe(false);
    expect(leases.neverLost('a')).toBe(false);
    settled = true;
    await clock.advance(3_000);
    expect(leases.held('a')).toBe(true);
  });

  it('that are withheld are not renewed, and expire', async () => {
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

  it('are created again after a deletion, and forgotten if the node is deleted', async () => {
    leases.add('a');
    await clock.advance(1_000);
    server.leases.delete('a');
    await clock.advance(19_000);
    expect(server.leases.has('a')).toBe(true);
    leases.remove('a');
    server.renewals.length = 0;
    await clock.advance(60_000);
    expect(server.renewals).toEqual([]);
    expect(told).toEqual(['a held at 0']);
  });
});
