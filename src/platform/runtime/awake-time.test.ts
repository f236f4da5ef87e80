import { expect, test } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { AwakeTime, TICK_MS } from './awake-time.ts';

test('advances with the clock if it is read often', async () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  const begin = awake.now();
  for (let i = 0; i < 30; i++) {
    await clock.advance(TICK_MS);
    awake.now();
  }
  expect(awake.now() - begin).toBe(30 * TICK_MS);
});

test('a long gap counts as one tick', async () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  const begin = awake.now();
  await clock.advance(100 * TICK_MS);
  expect(awake.now() - begin).toBe(TICK_MS);
});

test('is in whole milliseconds, so that a remaining wait is never too short for a timer', async () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  for (let i = 0; i < 100; i++) {
    await clock.advance(0.1);
    expect(Number.isInteger(awake.now())).toBe(true);
  }
});
