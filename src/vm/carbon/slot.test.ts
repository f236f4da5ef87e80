import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder, meanIntensity, nextGreen, type Slot, slotAt } from './slot.ts';

const HOUR = 3_600_000;
const slot = (hour: number, intensity: number): Slot => ({ from: hour * HOUR, to: (hour + 1) * HOUR, intensity });

describe('slots', () => {
  it('return the intensity around a moment, and for two hours after the last', () => {
    const slots = [slot(0, 300), slot(1, 200)];
    expect(slotAt(slots, 0.5 * HOUR)?.intensity).toBe(300);
    expect(slotAt(slots, HOUR)?.intensity).toBe(200);
    expect(slotAt(slots, 4 * HOUR - 1)?.intensity).toBe(200);
    expect(slotAt(slots, 4 * HOUR)).toBeUndefined();
    expect(slotAt(slots, -1)).toBeUndefined();
  });

  it('are searched for the first green one after a moment', () => {
    const slots = [slot(0, 100), slot(1, 300), slot(2, 200), slot(3, 50)];
    expect(nextGreen(slots, 0, 200)?.from).toBe(2 * HOUR);
    expect(nextGreen(slots, 2 * HOUR, 200)?.from).toBe(3 * HOUR);
    expect(nextGreen(slots, 0, 40)).toBeUndefined();
  });

  it('have a mean only if they cover the whole interval', () => {
    const slots = [slot(0, 100), slot(1, 300)];
    expect(meanIntensity(slots, 0, 2 * HOUR)).toBe(200);
    expect(meanIntensity(slots, 0.5 * HOUR, 1.5 * HOUR)).toBe(200);
    expect(meanIntensity(slots, HOUR, 3 * HOUR)).toBeUndefined();
    expect(meanIntensity([], 0, 0)).toBeUndefined();
  });

  it('are ordered and do not overlap for any measurements and forecasts', () => {
    const any = fc.record({ hour: fc.integer({ min: 0, max: 50 }), intensity: fc.integer({ min: 0, max: 900 }) });
    fc.assert(
      fc.property(any, fc.uniqueArray(any, { selector: ({ hour }) => hour }), (now, ahead) => {
        const current = { ...slot(now.hour, now.intensity), to: (now.hour + 5) * HOUR };
        const rows = inOrder(
          current,
          ahead.map(({ hour, intensity }) => slot(hour, intensity)),
        );
        expect(rows[0]?.intensity).toBe(now.intensity);
        for (const [i, row] of rows.entries()) expect(row.to).toBeLessThanOrEqual(rows[i + 1]?.from ?? row.to);
      }),
    );
  });
});
