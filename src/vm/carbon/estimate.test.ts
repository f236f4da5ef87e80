import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimate } from './estimate.ts';

const HOUR = 3_600_000;
const row = (levels: readonly number[]) =>
  levels.map((intensity, i) => ({ from: i * HOUR, to: (i + 1) * HOUR, intensity }));

describe('an estimate', () => {
  it('finds the best time to start within the wait that is allowed', () => {
    const slots = row([300, 300, 100, 50, 200]);
    const run = { watts: 500, ms: 2 * HOUR };
    expect(estimate(run, slots, 0, 4 * HOUR)).toEqual({
      kilowattHours: 1,
      now: { startsAt: 0, intensity: 300, grams: 300 },
      best: { startsAt: 2 * HOUR, intensity: 75, grams: 75 },
      savedGrams: 225,
    });
    expect(estimate(run, slots, 0, HOUR)?.best).toMatchObject({ startsAt: HOUR, grams: 200 });
    expect(estimate(run, slots, 0, 0)?.best.startsAt).toBe(0);
  });

  it('uses the current intensity if the forecast is too short, and nothing without data', () => {
    expect(estimate({ watts: 1000, ms: 10 * HOUR }, row([120]), 0, 4 * HOUR)?.now.grams).toBe(1200);
    expect(estimate({ watts: 1000, ms: HOUR }, [], 0, HOUR)).toBeUndefined();
  });

  it('is beaten by no start at any minute', () => {
    const levels = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 6, maxLength: 12 });
    fc.assert(
      fc.property(levels, fc.integer({ min: 20, max: 200 }), fc.integer({ min: 0, max: 59 }), (found, minutes, at) => {
        const slots = row(found);
        const [ms, now] = [minutes * 60_000, at * 60_000];
        const best = estimate({ watts: 1000, ms }, slots, now, 4 * HOUR)?.best.grams ?? 0;
        const grams: number[] = [];
        for (let start = now; start <= now + 4 * HOUR; start += 60_000) {
          if (start + ms > found.length * HOUR) break;
          grams.push(estimate({ watts: 1000, ms }, slots, start, 0)?.now.grams ?? 0);
        }
        expect(Math.min(...grams)).toBeGreaterThanOrEqual(best - 1e-6);
      }),
      { numRuns: 50 },
    );
  });
});
