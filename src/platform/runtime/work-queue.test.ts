import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TemporaryError, TerminalError } from '#platform/base/errors';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';
import { KubeError } from '#platform/kube/kube-error';
import { backOffDelay } from './back-off.ts';
import { CANCEL_REQUEUE, WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function started(work: WorkQueueOptions['work'], options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const queue = new WorkQueue({ name: 'test', clock, random: seededRandom(1), work, ...options });
  const done = queue.run(stop.signal);
  return { clock, queue, done, stop };
}

describe('a work queue', () => {
  it('processes a key once, however often it was added before its turn', async () => {
    const worked: string[] = [];
    const { clock, queue } = started(async (key) => {
      worked.push(key);
      await clock.sleep(10);
      return undefined;
    });
    for (const key of ['a', 'b', 'b', 'c', 'b']) queue.add(key);
    await clock.advance(1000);
    expect(worked).toEqual(['a', 'b', 'c']);
  });

  it('processes a key again, after the others, if it was added while it was processed', async () => {
    const worked: string[] = [];
    const { clock, queue } = started(async (key) => {
      worked.push(key);
      await clock.sleep(10);
      return undefined;
    });
    queue.add('a');
    queue.add('b');
    await clock.advance(1);
    queue.add('a');
    queue.add('a');
    await clock.advance(1000);
    expect(worked).toEqual(['a', 'b', 'a']);
  });

  it('drops earlier requeues when a reconcile succeeds', async () => {
    const worked: number[] = [];
    const { clock, queue } = started(async () => {
      worked.push(clock.monotonic());
      return worked.length === 2 ? CANCEL_REQUEUE : { requeueAfterMs: 100 };
    });
    queue.add('a');
    await clock.advance(10);
    queue.add('a');
    await clock.advance(1000);
    expect(worked).toHaveLength(2);
    queue.add('a');
    await clock.advance(100);
    expect(worked).toHaveLength(4);
  });

  it('never processes a key twice at once or too many keys, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(30), fc.boolean()), { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (adds, concurrency) => {
          const added = new Map<string, number>();
          const begun = new Map<string, number>();
          const working = new Set<string>();
          let max = 0;
          const { clock, queue, done, stop } = started(
            async (key) => {
              expect(working.has(key)).toBe(false);
              working.add(key);
              max = Math.max(max, working.size);
              begun.set(key, clock.monotonic());
              await clock.sleep(7);
              working.delete(key);
              if (clock.monotonic() % 5 === 0) throw new Error('bad luck');
              return undefined;
            },
            { concurrency },
          );
          for (const [key, wait, later] of adds) {
            if (later) queue.addAfter(key, wait);
            else queue.add(key);
            added.set(key, clock.monotonic());
            await clock.advance(wait);
          }
          await clock.advance(10 * 60_000);
          for (const [key, at] of added) expect(begun.get(key)).toBeGreaterThanOrEqual(at);
          expect(max).toBeLessThanOrEqual(concurrency);
          expect(queue.size).toBe(0);
          stop.abort();
          await done;
          expect(clock.pending).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('processes keys in order of arrival, so that none starves behind one that is added repeatedly', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(key, fc.nat(12)), { maxLength: 80 }), async (adds) => {
        // Model of the expected behavior.
        const waiting: string[] = [];
        let working: { readonly key: string; again: boolean } | undefined;
        const wrong: string[] = [];
        const { clock, queue, done, stop } = started(async (key) => {
          if (waiting.shift() !== key) wrong.push(key);
          const mine = { key, again: false };
          working = mine;
          await clock.sleep(10);
          working = undefined;
          if (mine.again) waiting.push(key);
          return undefined;
        });
        for (const [key, wait] of adds) {
          if (working?.key === key) working.again = true;
          else if (!waiting.includes(key)) waiting.push(key);
          queue.add(key);
          await clock.advance(wait);
        }
        await clock.advance(10_000);
        expect([wrong, waiting]).toEqual([[], []]);
        stop.abort();
        await done;
      }),
      { numRuns: 60 },
    );
  });

  it('processes each of many delayed keys on time, with one timer for all', async () => {
    const delays = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 5000 }), fc.nat(40));
    await fc.assert(
      fc.asyncProperty(fc.array(delays, { maxLength: 100 }), async (adds) => {
        const due = new Map<string, number>();
        const wrong: string[] = [];
        const { clock, queue, done, stop } = started(
          async (key) => {
            if (due.get(key) !== clock.monotonic()) wrong.push(`${key} at ${clock.monotonic()}`);
            due.delete(key);
            return undefined;
          },
          { concurrency: 1000 },
        );
        for (const [number, ms, wait] of adds) {
          const key = `key-${number}`;
          const at = clock.monotonic() + ms;
          due.set(key, Math.min(at, due.get(key) ?? at));
          queue.addAfter(key, ms);
          expect(clock.pending).toBeLessThanOrEqual(2);
          await clock.advance(wait);
        }
        await clock.advance(10_000);
        expect([wrong, [...due.keys()], clock.pending]).toEqual([[], [], 0]);
        stop.abort();
        await done;
      }),
      { numRuns: 60 },
    );
  });

  it('uses the earliest of several delays', async () => {
    const times: number[] = [];
    const { clock, queue } = started(async () => {
      times.push(clock.monotonic());
      return undefined;
    });
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    await clock.advance(5000);
    expect(times).toEqual([100]);
  });

  it('keeps a delay when the key is added without one, as client-go does', async () => {
    const times: number[] = [];
    const { clock, queue } = started(async () => {
      times.push(clock.monotonic());
      return undefined;
    });
    queue.addAfter('a', 500);
    queue.addAfter('a', 0);
    await clock.advance(5000);
    expect(times).toEqual([0, 500]);
  });

  it('requeues a key on request', async () => {
    const times: number[] = [];
    const { clock, queue } = started(async () => {
      times.push(clock.monotonic());
      return times.length < 3 ? { requeueAfterMs: 40 } : undefined;
    });
    queue.add('a');
    await clock.advance(1000);
    expect(times).toEqual([0, 40, 80]);
  });

  it.each([
    ['any error with a back-off', new Error('x'), 1, 20],
    ['a temporary error with its delay', new TemporaryError('x', { retryAfterMs: 700 }), 700, 700],
    ['a temporary error without a delay with a back-off', new TemporaryError('x'), 1, 20],
    [
      'a rejection with its Retry-After',
      new KubeError(429, 'TooManyRequests', 'x', { retryAfterSeconds: 2 }),
      2000,
      2000,
    ],
  ])('retries after %s', async (_what, error, min, max) => {
    const times: number[] = [];
    const { clock, queue } = started(async () => {
      times.push(clock.monotonic());
      if (times.length === 1) throw error;
      return undefined;
    });
    queue.add('a');
    await clock.advance(10_000);
    expect(times).toHaveLength(2);
    expect(times[1]).toBeGreaterThanOrEqual(min);
    expect(times[1]).toBeLessThanOrEqual(max);
  });

  it('does not retry after a terminal error until the key is added again', async () => {
    let runs = 0;
    const reported: unknown[] = [];
    const { clock, queue } = started(
      async () => {
        runs++;
        throw new TerminalError('no such thing');
      },
      { onFailure: (_key, _error, retryInMs) => reported.push(retryInMs) },
    );
    queue.add('a');
    await clock.advance(3_600_000);
    expect([runs, reported]).toEqual([1, [undefined]]);
    queue.add('a');
    await clock.advance(1);
    expect(runs).toBe(2);
  });

  it('increases the delay of a key that keeps failing, and resets it once it succeeds', async () => {
    const waits: number[] = [];
    let fail = true;
    const { clock, queue } = started(
      async () => {
        if (fail) throw new Error('x');
        return undefined;
      },
      { onFailure: (_key, _error, retryInMs) => waits.push(retryInMs ?? -1), backOff: { first: 100, max: 1000 } },
    );
    queue.add('a');
    await clock.advance(3000);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(Math.min(1000, 100 * 2 ** i) / 2);
      expect(wait).toBeLessThanOrEqual(Math.min(1000, 100 * 2 ** i));
    }
    fail = false;
    await clock.advance(2000);
    fail = true;
    queue.add('a');
    await clock.advance(1);
    expect(waits.at(-1)).toBeLessThanOrEqual(100);
  });

  it('yields to the rest of the process if there is much to do', async () => {
    let worked = 0;
    const { clock, queue } = started(async () => {
      worked++;
      return undefined;
    });
    for (let i = 0; i < 200; i++) queue.add(`key-${i}`);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(worked).toBeLessThan(100);
    await clock.advance(0);
    expect(worked).toBe(200);
  });

  it('finishes current keys when it stops, and starts no others', async () => {
    const worked: string[] = [];
    const { clock, queue, done, stop } = started(async (key) => {
      await clock.sleep(50);
      worked.push(key);
      return { requeueAfterMs: 5 };
    });
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    await clock.advance(20);
    stop.abort();
    let over = false;
    void done.then(() => (over = true));
    await clock.advance(20);
    expect(over).toBe(false);
    await clock.advance(1000);
    expect([over, worked, clock.pending]).toEqual([true, ['a'], 0]);
  });
});

describe('a back-off', () => {
  it('is between half of its step and its step, and never above its maximum', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.nat(100_000),
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(),
        (first, more, failures, seed) => {
          const max = first + more;
          const delay = backOffDelay({ first, max }, failures, seededRandom(seed));
          const step = Math.min(max, first * 2 ** Math.min(failures - 1, 52));
          expect(delay).toBeGreaterThanOrEqual(step / 2);
          expect(delay).toBeLessThanOrEqual(step);
        },
      ),
    );
  });
});
