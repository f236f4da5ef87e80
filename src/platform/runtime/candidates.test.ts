import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { noopLogger } from '#platform/base/logger';
import { seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { type Faults, faultyClient, LeaseServer, OwnClock } from './leader-elector.fixture.ts';
import { createLeaderElector } from './leader-elector.ts';

const place = { namespace: 'kube-system', name: 'vimana-operator' };
const SECOND = 1000;

describe('several candidates', () => {
  const INCIDENTS = ['sleep', 'machine sleeps', 'wake', 'set clock', 'stop', 'slow', 'lossy', 'well'] as const;
  /** Less time than by default between giving up and taking over, so that mistakes show. */
  const TIMES = { leaseMs: 12 * SECOND, renewDeadlineMs: 10 * SECOND, retryMs: 1 * SECOND };

  interface Scenario {
    readonly seed: number;
    readonly candidates: number;
    readonly steps: readonly {
      readonly who: number;
      readonly waitMs: number;
      readonly what: (typeof INCIDENTS)[number];
    }[];
  }

  /** Runs a scenario and returns its problems. */
  async function play({ seed, candidates, steps }: Scenario): Promise<string[]> {
    const clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
    const server = new LeaseServer();
    const random = seededRandom(seed);
    const wrong: string[] = [];
    const written: string[] = [];
    const all = Array.from({ length: candidates }, (_, i) => start(`c${i}`));

    function check(): void {
      const acting = all.filter(({ one }) => one.isLeader).map(({ who }) => who);
      if (acting.length > 1) wrong.push(`${acting.join(' and ')} lead at ${clock.monotonic()}`);
    }

    function start(who: string) {
      const own = new OwnClock(clock, random.int(-1e9, 1e9), 0.95 + random.next() / 10);
      const faults: Faults = { slowMs: 0, lost: 0 };
      const mine = random.fork(who);
      let running = 0;
      let count = 0;
      const one = createLeaderElector({
        lease: place,
        identity: who,
        client: faultyClient(server, clock, own, mine, faults),
        clock: own,
        random: mine.fork('leading'),
        log: noopLogger,
        times: TIMES,
        async run(term) {
          if (++running > 1) wrong.push(`${who} runs twice`);
          const name = `${who}/${++count}`;
          // The server is slow to accept a write, but not slower than the time between the two deadlines allows.
          const client = term.guard({
            create: async () => {
              await clock.sleep(mine.next() * 0.5 * SECOND);
              written.push(name);
              check();
            },
          } as unknown as Client);
          const work = async () => await client.create(CONFIG_MAPS, { metadata: {} }).catch(() => {});
          const ready = own.monotonic() + mine.next() * 8 * SECOND;
          const works: Promise<unknown>[] = [];
          while (!term.signal.aborted || own.monotonic() < ready) {
            works.push(work());
            await own.sleep(200 + mine.next() * SECOND);
          }
          await Promise.all(works);
          running--;
        },
      });
      const stop = new AbortController();
      return { who, own, faults, one, stop, done: one.run(stop.signal) };
    }

    for (const { who, waitMs, what } of steps) {
      const one = all[who % all.length];
      if (what === 'sleep' || what === 'machine sleeps') one?.own.fallAsleep(what === 'machine sleeps');
      if (what === 'wake') one?.own.wake();
      if (what === 'set clock') one?.own.set(random.int(-60, 60) * SECOND);
      if (what === 'stop') one?.stop.abort();
      if (what === 'slow') Object.assign(one?.faults ?? {}, { slowMs: 2500 });
      if (what === 'lossy') Object.assign(one?.faults ?? {}, { lost: 0.4 });
      if (what === 'well') Object.assign(one?.faults ?? {}, { slowMs: 0, lost: 0 });
      for (let passed = 0; passed < waitMs; passed += 100) {
        await clock.advance(100);
        check();
      }
    }

    for (const { own, faults } of all) {
      Object.assign(faults, { slowMs: 0, lost: 0 });
      own.wake();
    }
    await clock.advance(90 * SECOND);
    check();
    const left = all.filter(({ stop }) => !stop.signal.aborted);
    if (left.length > 0 && !left.some(({ one }) => one.isLeader)) wrong.push('nobody leads in the end');
    for (const { stop } of all) stop.abort();
    await clock.advance(60 * SECOND);
    await Promise.all(all.map(({ done }) => done));
    if (left.length > 0 && server.lease?.spec?.holderIdentity !== '') wrong.push('the lease was not given back');
    const turns = written.filter((name, i) => name !== written[i - 1]);
    if (new Set(turns).size !== turns.length) wrong.push(`writes of two terms mingle: ${turns.join(' ')}`);
    return wrong;
  }

  it('never lead at the same time, whatever is slow, lost or asleep, and finally one leads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(),
          candidates: fc.integer({ min: 1, max: 4 }),
          steps: fc.array(
            fc.record({
              who: fc.nat(3),
              waitMs: fc.integer({ min: 0, max: 25_000 }),
              what: fc.constantFrom(...INCIDENTS),
            }),
            { maxLength: 12 },
          ),
        }),
        async (scenario) => {
          expect(await play(scenario)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
