import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CarbonQuestion, carbonDecision } from './decision.ts';
import type { Slot } from './slot.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-16T00:30:00Z');
const DAY = Date.parse('2026-11-16T00:00:00Z');
const row = (...intensities: number[]): Slot[] =>
  intensities.map((intensity, i) => ({ from: DAY + i * HOUR, to: DAY + (i + 1) * HOUR, intensity }));
const ask = (more: Partial<CarbonQuestion>) =>
  carbonDecision({
    maxIntensity: 200,
    maxDelayMs: 4 * HOUR,
    zone: 'DE',
    slots: row(310, 300, 180, 90),
    withoutData: 'start',
    waitingSince: undefined,
    now: NOW,
    ...more,
  });

describe('the start of a VM', () => {
  it.each([
    ['is allowed within the limit', { slots: row(200) }, 'GreenEnergy'],
    ['is allowed without a limit', { maxIntensity: undefined }, 'NoLimit'],
    ['is allowed after the maximum wait', { waitingSince: NOW - 4 * HOUR }, 'MaxDelayReached'],
    ['is allowed without data', { slots: [] }, 'NoCarbonData'],
    ['is allowed if the data is too old', { slots: row(310), now: DAY + 3 * HOUR }, 'NoCarbonData'],
    [
      'does not wait for data without a limit',
      { slots: [], withoutData: 'wait', maxIntensity: undefined },
      'NoCarbonData',
    ],
    [
      'waits for data at most for the maximum wait',
      { slots: [], withoutData: 'wait', waitingSince: NOW - 4 * HOUR },
      'MaxDelayReached',
    ],
  ] as const)('%s', (_what, more, reason) => {
    expect(ask(more)).toMatchObject({ do: 'start', reason });
  });

  it('waits for the next green slot and names it', () => {
    expect(ask({})).toEqual({
      do: 'wait',
      until: DAY + 2 * HOUR,
      green: row(310, 300, 180)[2],
      reason: 'WaitingForGreenEnergy',
      message:
        'the carbon intensity of DE is 310 gCO2/kWh, above the limit of 200: the next green slot begins at 2026-11-16T02:00Z (180 gCO2/kWh); the VM starts then, at 2026-11-16T04:30Z at the latest',
      intensity: 310,
    });
  });

  it('waits for the longest wait if no green slot comes in time, and reports that', () => {
    expect(ask({ maxDelayMs: HOUR })).toMatchObject({
      until: NOW + HOUR,
      green: undefined,
      message: expect.stringContaining('too late for carbonAware.maxDelay; the VM starts, at 2026-11-16T01:30Z'),
    });
    expect(ask({ slots: row(310) })).toMatchObject({
      until: NOW + 4 * HOUR,
      message: expect.stringContaining('no green slot is forecast'),
    });
  });

  it('counts the longest wait from its beginning', () => {
    expect(ask({ slots: row(310), waitingSince: NOW - HOUR })).toMatchObject({ until: NOW + 3 * HOUR });
  });

  it('waits for data if configured, and reports why there is none', () => {
    expect(ask({ slots: [], withoutData: 'wait', problem: 'it answers 500' })).toMatchObject({
      do: 'wait',
      until: NOW + 4 * HOUR,
      reason: 'NoCarbonData',
      message: expect.stringContaining('(it answers 500)'),
    });
  });

  it('happens within the longest wait for any intensity, and a new assessment at the named time ends or shortens the wait', () => {
    const grid = fc.array(fc.integer({ min: 0, max: 800 }), { minLength: 1, maxLength: 48 });
    fc.assert(
      fc.property(grid, fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 24 }), (levels, limit, hours) => {
        const slots = row(...levels);
        let now = NOW;
        const deadline = NOW + hours * HOUR;
        for (let looks = 0; ; looks++) {
          expect(looks).toBeLessThan(60);
          const decision = ask({ slots, maxIntensity: limit, maxDelayMs: hours * HOUR, waitingSince: NOW, now });
          if (decision.do === 'start') break;
          expect(decision.until).toBeGreaterThan(now);
          now = decision.until;
        }
        expect(now).toBeLessThanOrEqual(deadline);
      }),
    );
  });
});
