import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Advances the clock by this many milliseconds. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Tests the behavior that every clock must have. */
export function clockContract(name: string, create: () => ClockUnderTest): void {
  describe(`${name} as a clock`, () => {
    test('advances both times by what has passed', async () => {
      const { clock, pass } = create();
      const [time, since] = [clock.now(), clock.monotonic()];
      await pass(20);
      expect(clock.now() - time).toBeGreaterThanOrEqual(19);
      expect(clock.monotonic() - since).toBeGreaterThanOrEqual(20);
    });

    test('ends a sleep after its time and never before', async () => {
      const { clock, pass } = create();
      const since = clock.monotonic();
      let woke = 0;
      const sleep = clock.sleep(15).finally(() => {
        woke = clock.monotonic();
      });
      await Promise.all([pass(40), sleep]);
      expect(woke - since).toBeGreaterThanOrEqual(15);
    });

    test.each([0, -5])('ends a sleep of %d ms, but not within the call', async (ms) => {
      const { clock, pass } = create();
      let woke = false;
      const sleep = clock.sleep(ms).finally(() => {
        woke = true;
      });
      await Promise.resolve();
      expect(woke).toBe(false);
      await Promise.all([pass(5), sleep]);
      expect(woke).toBe(true);
    });

    test('wakes sleepers in the order of their due times', async () => {
      const { clock, pass } = create();
      const order: number[] = [];
      const sleeps = [60, 10, 35].map((ms) => clock.sleep(ms).then(() => order.push(ms)));
      await Promise.all([pass(80), ...sleeps]);
      expect(order).toEqual([10, 35, 60]);
    });

    test('rejects a sleep with the reason of an aborted signal, before and during it', async () => {
      const { clock } = create();
      const reason = new Error('stop');
      await expect(clock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
      const stop = new AbortController();
      const sleep = clock.sleep(60_000, stop.signal);
      stop.abort(reason);
      await expect(sleep).rejects.toBe(reason);
    });

    test.each([2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY])('does not end a sleep of %d ms early', async (ms) => {
      const { clock, pass } = create();
      const stop = new AbortController();
      const outcomes: string[] = [];
      const sleep = clock.sleep(ms, stop.signal).then(
        () => outcomes.push('ended'),
        () => outcomes.push('aborted'),
      );
      await pass(20);
      stop.abort();
      await sleep;
      expect(outcomes).toEqual(['aborted']);
    });

    test('does not fire a canceled timer, and ignores a second or late cancel', async () => {
      const { clock, pass } = create();
      const fired: string[] = [];
      const cancelled = clock.timer(5, () => fired.push('cancelled'));
      const late = clock.timer(5, () => fired.push('late'));
      {
        using disposed = clock.timer(5, () => fired.push('disposed'));
        expect(disposed).toBeDefined();
      }
      cancelled.cancel();
      cancelled.cancel();
      await pass(25);
      late.cancel();
      await pass(5);
      expect(fired).toEqual(['late']);
    });

    test('rejects a timer without a number', async () => {
      const { clock } = create();
      expect(() => clock.timer(Number.NaN, () => {})).toThrow(RangeError);
      await expect(clock.sleep(Number.NaN)).rejects.toThrow(RangeError);
    });
  });
}
