import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from './errors.ts';
import { instantOf, isTimeZone, wallTime } from './time-zone.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];

describe('a time zone', () => {
  test.each([
    ['2026-01-01T12:00', 'Europe/Berlin', '2026-01-01T13:00'],
    ['2026-07-01T12:00', 'Europe/Berlin', '2026-07-01T14:00'],
    ['2026-07-01T12:00', 'europe/berlin', '2026-07-01T14:00'],
    ['2026-01-01T00:00', 'America/New_York', '2025-12-31T19:00'],
    ['2026-01-01T18:15', 'Asia/Kathmandu', '2026-01-02T00:00'],
    ['1969-12-31T23:59:59.250', 'UTC', '1969-12-31T23:59:59.250'],
  ])('at %s has in %s the wall time %s', (instant, zone, wall) => {
    expect(wallTime(at(instant), zone)).toBe(at(wall));
    expect(instantOf(at(wall), zone)).toBe(at(instant));
  });

  test('converts a wall time to an instant with that wall time', () => {
    const when = fc.integer({ min: at('2000-01-01T00:00'), max: at('2035-01-01T00:00') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), when, (zone, instant) => {
        const wall = wallTime(instant, zone);
        const back = instantOf(wall, zone);
        expect(wallTime(back, zone)).toBe(wall);
        expect(back).toBeLessThanOrEqual(instant);
      }),
    );
  });

  test('converts later wall times to instants that are not earlier', () => {
    const around = [at('2026-03-29T02:00'), at('2026-10-25T02:00')];
    const minutes = fc.integer({ min: -240, max: 240 });
    fc.assert(
      fc.property(fc.constantFrom(...around), minutes, minutes, (base, a, b) => {
        const [early, late] = [Math.min(a, b), Math.max(a, b)].map((m) =>
          instantOf(base + m * 60_000, 'Europe/Berlin'),
        );
        expect(early).toBeLessThanOrEqual(late ?? Number.NaN);
      }),
    );
  });

  test('is rejected if its name is unknown', () => {
    expect(zones.map(isTimeZone)).toEqual(zones.map(() => true));
    expect(['', 'Mars/Base', 'Europe/Berlin '].map(isTimeZone)).toEqual([false, false, false]);
    expect(() => wallTime(0, 'Mars/Base')).toThrow(ParseError);
  });
});
