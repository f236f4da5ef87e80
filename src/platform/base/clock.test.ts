import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { clockContract } from './clock.contract.ts';
import { realClock } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

clockContract('the real clock', () => ({ clock: realClock, pass: (ms) => wait(ms + 2) }));
clockContract('a fake clock', () => {
  const clock = new FakeClock();
  return { clock, pass: (ms) => clock.advance(ms) };
});

describe('the real clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('lets other work run between two pieces of long work', async () => {
    const seen: string[] = [];
    const other = (async () => {
      for (let i = 0; i < 3; i++) {
        await realClock.turn?.();
        seen.push('other');
      }
    })();
    for (let i = 0; i < 3; i++) {
      seen.push('piece');
      await realClock.turn?.();
    }
    await other;
    expect(seen).toEqual(['piece', 'other', 'piece', 'other', 'piece', 'other']);
  });

  test('returns the current time', () => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    expect(realClock.now()).toBe(1_700_000_000_000);
  });

  test('ends a sleep longer than the maximum timer of the runtime on time', async () => {
    vi.useFakeTimers();
    const ms = 3 * 2 ** 31 + 5;
    let woke = false;
    const sleep = realClock.sleep(ms).finally(() => {
      woke = true;
    });
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(woke).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(woke).toBe(true);
    await sleep;
  });

  test('stops listening to the signal of a sleep that has ended', async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await realClock.sleep(1, signal);
    expect(removed.mock.calls.map((call) => call[1])).toEqual(added.mock.calls.map((call) => call[1]));
  });
});
