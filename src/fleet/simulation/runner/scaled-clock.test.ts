import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ScaledClock } from './scaled-clock.ts';

it('stops until it is started, and while it is paused', () => {
  const pace = new ScaledClock(1000);
  expect(pace.at(5000)).toEqual({ simulated: 0, real: 0 });
  expect(pace.until(60_000, 5000)).toBe(Number.POSITIVE_INFINITY);
  pace.set(5000, { scale: 60, paused: false });
  expect(pace.at(6000)).toEqual({ simulated: 60_000, real: 1000 });
  pace.set(6000, { scale: 60, paused: true });
  expect(pace.at(9000)).toEqual({ simulated: 60_000, real: 1000 });
  pace.set(9000, { scale: 10, paused: false });
  expect(pace.at(9500)).toEqual({ simulated: 65_000, real: 1500 });
  expect(pace.until(75_000, 9500)).toBe(1000);
  expect(pace.until(10, 9500)).toBe(0);
});

it('never goes backwards, whatever is set', () => {
  const change = fc.record({
    after: fc.nat(10_000),
    scale: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
    paused: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const pace = new ScaledClock(0);
      let [now, last] = [0, 0];
      for (const { after, ...speed } of changes) {
        now += after;
        const { simulated } = pace.at(now);
        expect(simulated).toBeGreaterThanOrEqual(last);
        last = simulated;
        pace.set(now, speed);
        expect(pace.at(now).simulated).toBe(simulated);
      }
    }),
  );
});
