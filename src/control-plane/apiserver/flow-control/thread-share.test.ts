import { describe, expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { ThreadShare } from './thread-share.ts';

const KIB = 1024;
const ROUNDS = 4;

/** Creates a thread whose turns the test controls, on which a unit takes a fixed time. */
function scene() {
  const clock = new FakeClock();
  const turns: (() => void)[] = [];
  const log: string[] = [];
  let busyMs = 0;
  const share = new ThreadShare({
    monotonic: () => clock.monotonic() + busyMs,
    timer: (ms, fn) => clock.timer(ms, fn),
    turn: () => new Promise((resolve) => turns.push(resolve)),
  });
  const settle = () => clock.advance(0);
  return {
    clock,
    log,
    share,
    /** Lets time pass within a microtask, as for work that keeps the thread busy. */
    keepBusy: (ms: number) => {
      busyMs += ms;
    },
    /** Does work that is recorded once it is admitted. */
    work: (flow: string, name: string, units: number) => {
      const wait = share.spend(flow, units);
      if (wait === undefined) log.push(name);
      else void wait.then(() => log.push(name));
    },
    /** Runs one turn of the event loop that took this long. */
    turn: async (tookMs = 0) => {
      await clock.advance(tookMs);
      for (const go of turns.splice(0)) go();
      await settle();
    },
    armed: () => turns.length > 0,
    /** Runs as many turns as there are between two slices. */
    rounds: async () => {
      for (let i = 0; i < ROUNDS; i++) {
        for (const go of turns.splice(0)) go();
        await settle();
      }
    },
  };
}

test('on a fake clock, no work waits', () => {
  expect(new ThreadShare(new FakeClock()).spend('a', 10 ** 9)).toBeUndefined();
});

test('a small amount of work never waits, and a large one waits for its turn', async () => {
  const { share, turn } = scene();
  expect(share.spend('a', 60 * KIB)).toBeUndefined();
  expect(share.spend('a', 60 * KIB)).toBeInstanceOf(Promise);
  expect(share.spend('b', 60 * KIB)).toBeUndefined();
  await turn();
  await turn();
  expect(share.spend('a', 60 * KIB)).toBeUndefined();
});

test('an administrator never waits, but yields before long work', async () => {
  const { share, work, turn, log } = scene();
  for (const name of ['a1', 'a2']) work('a', name, 300 * KIB);
  expect(share.spend(undefined, KIB)).toBeUndefined();
  const long = share.spend(undefined, 10 ** 9)?.then(() => log.push('admin'));
  expect(log).toEqual([]);
  await turn();
  await long;
  expect(log).toEqual(expect.arrayContaining(['a1', 'admin']));
  expect(log).not.toContain('a2');
});

test('no timer remains when all work is done', async () => {
  const { work, turn, armed, log } = scene();
  work('a', 'a1', 300 * KIB);
  while (armed()) await turn();
  expect(log).toEqual(['a1']);
});

describe('queued work', () => {
  test('ends its slice when it takes longer than expected', async () => {
    const { share, turn, keepBusy, log } = scene();
    const run = (name: string, ms: number): void => {
      log.push(name);
      keepBusy(ms);
    };
    for (const [name, ms] of Object.entries({ a1: 5, a2: 20, a3: 0 })) {
      void share.spend('a', 70 * KIB)?.then(() => run(name, ms));
    }
    await turn();
    expect(log).toEqual(['a1', 'a2']);
    while (log.length < 3) await turn();
  });

  test('runs slice by slice, and a piece larger than a slice runs alone', async () => {
    const { work, turn, rounds, log } = scene();
    work('a', 'big', 3000 * KIB);
    work('a', 'small', 100 * KIB);
    await turn();
    expect(log).toEqual(['big']);
    await rounds();
    expect(log).toEqual(['big', 'small']);
  });

  test('of the flow that used least runs first', async () => {
    const { work, turn, rounds, log } = scene();
    for (const name of ['a1', 'a2', 'a3']) work('a', name, 200 * KIB);
    await turn();
    work('b', 'b1', 200 * KIB);
    await rounds();
    await rounds();
    expect(log).toEqual(['a1', 'b1', 'a2']);
  });

  test('pauses as long as it worked while others are active', async () => {
    const { work, turn, log, clock, share } = scene();
    for (const name of ['a1', 'a2']) work('a', name, 200 * KIB);
    await turn();
    void share.spend('light', KIB);
    await turn(10);
    expect(log).toEqual(['a1']);
    await clock.advance(9);
    expect(log).toEqual(['a1']);
    await clock.advance(1);
    expect(log).toEqual(['a1', 'a2']);
  });

  test('pauses while a request of another flow waits for something other than the thread', async () => {
    const { work, turn, log, clock, share } = scene();
    for (const name of ['a1', 'a2', 'a3']) work('a', name, 200 * KIB);
    share.enter('a');
    share.enter('light');
    await turn();
    await turn(10);
    await clock.advance(9);
    expect(log).toEqual(['a1']);
    await clock.advance(1);
    expect(log).toEqual(['a1', 'a2']);
    share.leave('light');
    await turn(10);
    for (let i = 0; i < ROUNDS; i++) await turn();
    expect(log).toEqual(['a1', 'a2', 'a3']);
  });

  test('does not pause for flows that also wait for the thread', async () => {
    const { work, turn, rounds, log, share } = scene();
    share.enter('a');
    share.enter('b');
    for (const name of ['a1', 'a2']) work('a', name, 200 * KIB);
    for (const name of ['b1', 'b2']) work('b', name, 200 * KIB);
    await turn();
    await turn(10);
    await rounds();
    expect(log).toEqual(['a1', 'b1']);
  });

  test('yields a few turns, but no time, without other clients', async () => {
    const { work, turn, rounds, log } = scene();
    for (const name of ['a1', 'a2']) work('a', name, 200 * KIB);
    await turn();
    await turn(10);
    expect(log).toEqual(['a1']);
    await rounds();
    expect(log).toEqual(['a1', 'a2']);
  });
});

describe('work whose client has disconnected', () => {
  test('is rejected in the queue, and uses nothing of the slice', async () => {
    const { share, turn, log } = scene();
    let gone = false;
    const note = async (name: string, wait: Promise<void> | undefined): Promise<void> => {
      try {
        await wait;
        log.push(name);
      } catch (error) {
        log.push(`${name}: ${(error as Error).message}`);
      }
    };
    const left = share.of(() => gone);
    for (const name of ['a1', 'a2', 'a3']) void note(name, left.spend('a', 250 * KIB));
    void note('b1', share.spend('b', 250 * KIB));
    gone = true;
    await turn();
    expect(log).toEqual(expect.arrayContaining(['a1: the client disconnected', 'a3: the client disconnected', 'b1']));
    expect(log).toHaveLength(4);
  });

  test('is rejected before it is queued', () => {
    const thread = scene().share.of(() => true);
    expect(() => thread.spend('a', 1)).toThrow('the client disconnected');
  });
});
