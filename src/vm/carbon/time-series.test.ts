import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { tableProvider } from './intensity-table.ts';
import { providerContract } from './provider.contract.ts';
import { timeSeriesProvider } from './time-series.ts';

const NOW = Date.parse('2026-11-16T10:20:00Z');
const HOUR = 3_600_000;
const DAILY = `
zones:
  DE:
    name: Germany
    intensity:
      - { at: "06:00", grams: 320 }
      - { at: "11:00", grams: 140 }
      - { at: "17:00", grams: 400 }
`;
const ONCE = `
zones:
  SE:
    intensity:
      - { at: 2026-11-16T12:00:00Z, grams: 30 }
      - { at: "2026-11-16T10:00Z", grams: 41.5 }
`;
const open = (text: string, now = NOW) =>
  timeSeriesProvider({ from: 'the file grid.yaml', read: async () => text, clock: new FakeClock({ start: now }) });

providerContract('a row of times of day', () => ({ provider: open(DAILY), zone: 'DE', unknown: 'XX', now: NOW }));
providerContract('a row of times', () => ({ provider: open(ONCE), zone: 'SE', unknown: 'XX', now: NOW }));
providerContract('a table', () => ({
  provider: tableProvider(new Map([['FR', 56]]), new FakeClock({ start: NOW })),
  zone: 'FR',
  unknown: 'XX',
  now: NOW,
}));

describe('a time series', () => {
  it('of times of day repeats every day, also over midnight', async () => {
    const provider = open(DAILY);
    expect((await provider.current('DE')).intensity).toBe(320);
    const slots = await provider.forecast('DE');
    expect(slots.slice(0, 4).map(({ from, intensity }) => [(from - NOW + HOUR / 3) / HOUR, intensity])).toEqual([
      [-4, 320],
      [1, 140],
      [7, 400],
      [20, 320],
    ]);
    expect((await open(DAILY, NOW - 6 * HOUR).current('DE')).intensity).toBe(400);
  });

  it('of full times does not repeat: its last value is valid for an hour, and then there is none', async () => {
    expect((await open(ONCE).current('SE')).intensity).toBe(41.5);
    expect(await open(ONCE).forecast('SE')).toHaveLength(2);
    await expect(open(ONCE, NOW + 24 * HOUR).current('SE')).rejects.toMatchObject({ code: 'UNKNOWN_ZONE' });
  });

  it.each([
    ['invalid YAML', ': [', 'neither YAML nor JSON'],
    ['invalid YAML, by its line', 'zones:\n  DE: {', 'end with a } at line 2, column 8'],
    ['nothing', '', 'the top'],
    ['no zones', 'zones: []', 'at zones'],
    ['an empty row', 'zones: {DE: {intensity: []}}', 'no row at zones.DE.intensity'],
    [
      'a value that is not a number',
      'zones: {DE: {intensity: [{at: "10:00", grams: much}]}}',
      'zones.DE.intensity[0].grams',
    ],
    ['a negative number', 'zones: {DE: {intensity: [{at: "10:00", grams: -1}]}}', 'zones.DE.intensity[0].grams'],
    ['an invalid time', 'zones: {DE: {intensity: [{at: "25:00", grams: 1}]}}', 'zones.DE.intensity[0].at'],
    [
      'mixed formats of times',
      'zones: {DE: {intensity: [{at: "10:00", grams: 1}, {at: "2026-11-16T10:00Z", grams: 1}]}}',
      'mixes times of day and full times at zones.DE.intensity[1].at',
    ],
  ])('with %s is rejected with the place of the error', async (_what, text, words) => {
    const failure = open(text).current('DE');
    await expect(failure).rejects.toMatchObject({ code: 'UNREADABLE', message: expect.stringContaining(words) });
    await expect(failure).rejects.toThrow(/^the file grid.yaml .*$/);
  });
});
