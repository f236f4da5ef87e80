import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('FakeClock', () => {
  test('starts at the given time and never advances by itself', async () => {
    const clock = new FakeClock({ start: 1_000 });
    await turn();
    expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0]);
  });

  test('includes everything that starts to wait during an advance', async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const walk = async () => {
      for (let step = 0; step < 5; step++) {
        await clock.sleep(10);
        await Promise.resolve();
        seen.push(clock.now());
      }
    };
    const walked = walk();
    await clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
    await clock.advanceTo(100);
    expect(seen).toEqual([10, 20, 30, 40, 50]);
    await walked;
  });

  test('fires timers by due time, and in order of creation if that is equal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 100 }), async (delays) => {
        const clock = new FakeClock();
        const fired: [number, number][] = [];
        delays.forEach((ms, i) => clock.timer(ms, () => fired.push([clock.now(), i])));
        await clock.advance(20);
        const expected = delays.map((ms, i) => [ms, i] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(fired).toEqual(expected);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test('keeps the order of timers if any of them is canceled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(50), fc.boolean()), { maxLength: 300 }), async (plans) => {
        const clock = new FakeClock();
        const fired: number[] = [];
        const timers = plans.map(([ms], i) => clock.timer(ms, () => fired.push(i)));
        plans.forEach(([, cancelled], i) => {
          if (cancelled) timers[i]?.cancel();
        });
        expect(clock.pending).toBe(plans.filter(([, cancelled]) => !cancelled).length);
        await clock.advance(50);
        const kept = plans.flatMap(([ms, cancelled], i) => (cancelled ? [] : [{ ms, i }]));
        expect(fired).toEqual(kept.sort((a, b) => a.ms - b.ms || a.i - b.i).map(({ i }) => i));
      }),
      { numRuns: 30 },
    );
  });

  test('does not fire a timer that an earlier one cancels', async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    const later = clock.timer(10, () => fired.push('later'));
    clock.timer(10, () => fired.push('never')).cancel();
    clock.timer(5, () => later.cancel());
    await clock.advance(10);
    expect(fired).toEqual([]);
  });

  test('jumps from timer to timer until the given time', async () => {
    const clock = new FakeClock({ start: 0 });
    let ticks = 0;
    const tick = (): void => {
      ticks++;
      clock.timer(3_600_000, tick);
    };
    clock.timer(3_600_000, tick);
    await clock.run(86_400_000);
    expect([ticks, clock.now()]).toEqual([24, 86_400_000]);
  });

  test('runs until its signal aborts, also without timers', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const running = clock.run(stop.signal);
    await clock.sleep(1_000);
    expect(clock.now()).toBe(1_000);
    await turn();
    await turn();
    await clock.sleep(1_000);
    expect(clock.now()).toBe(2_000);
    stop.abort();
    await running;
    expect(clock.now()).toBe(2_000);
  });

  test('does not advance while something holds it', async () => {
    const clock = new FakeClock();
    const running = clock.advance(100);
    const hold = clock.hold();
    let woke = false;
    const sleep = clock.sleep(10).finally(() => {
      woke = true;
    });
    for (let i = 0; i < 5; i++) await turn();
    expect([woke, clock.now()]).toEqual([false, 0]);
    hold[Symbol.dispose]();
    hold[Symbol.dispose]();
    await Promise.all([running, sleep]);
    expect(clock.now()).toBe(100);
  });

  test('waits more turns for work that takes several of them', async () => {
    const order: string[] = [];
    const work = async (clock: FakeClock) => {
      await clock.sleep(1);
      for (let i = 0; i < 3; i++) await turn();
      order.push(`worked at ${clock.now()}`);
    };
    for (const turns of [1, 5]) {
      const clock = new FakeClock({ turns });
      const worked = work(clock);
      clock.timer(2, () => {});
      await clock.advance(2);
      await worked;
    }
    expect(order).toEqual(['worked at 2', 'worked at 1']);
  });

  test('has the same order in two runs of the same program', async () => {
    const program = async () => {
      const clock = new FakeClock();
      const log: string[] = [];
      const actor = async (name: string, step: number) => {
        for (let i = 0; i < 20; i++) {
          await clock.sleep(step * (1 + (i % 3)));
          log.push(`${name}@${clock.now()}`);
        }
      };
      const actors = [actor('a', 2), actor('b', 3), actor('c', 6)];
      await clock.advance(10_000);
      await Promise.all(actors);
      return log;
    };
    const first = await program();
    expect(first).toHaveLength(60);
    expect(await program()).toEqual(first);
  });

  test('does not go back, and cannot be advanced twice at once', async () => {
    const clock = new FakeClock({ start: 50 });
    expect(() => clock.advance(-1)).toThrow(RangeError);
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
    expect(() => clock.advanceTo(49)).toThrow(RangeError);
    const moving = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('already being moved');
    await moving;
    expect(clock.now()).toBe(60);
  });

  test('passes on the error of a timer, and stays usable', async () => {
    const clock = new FakeClock();
    clock.timer(5, () => {
      throw new Error('boom');
    });
    await expect(clock.advance(10)).rejects.toThrow('boom');
    expect(clock.now()).toBe(5);
    await clock.advance(5);
    expect(clock.now()).toBe(10);
  });
});
