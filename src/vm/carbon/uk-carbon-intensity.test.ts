import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { providerContract } from './provider.contract.ts';
import { type PlannedResponse, providerServer, type ReceivedRequest } from './provider-server.fixture.ts';
import { ukCarbonIntensity } from './uk-carbon-intensity.ts';

const NOW = Date.parse('2026-11-16T10:20:00Z');
const clock = new FakeClock({ start: NOW });
const half = (from: string, to: string, intensity: object) => ({ from, to, intensity });
const NATIONAL = [
  half('2026-11-16T10:00Z', '2026-11-16T10:30Z', { forecast: 266, actual: 263, index: 'moderate' }),
  half('2026-11-16T10:30Z', '2026-11-16T11:00Z', { forecast: 240, actual: null, index: 'moderate' }),
];
const LONDON = { regionid: 13, dnoregion: 'UKPN London', shortname: 'London' };
const MIX = [{ fuel: 'wind', perc: 41.2 }];
const REGIONAL = [
  { ...half('2026-11-16T10:00Z', '2026-11-16T10:30Z', { forecast: 120, index: 'low' }), generationmix: MIX },
  { ...half('2026-11-16T10:30Z', '2026-11-16T11:00Z', { forecast: 90, index: 'low' }), generationmix: MIX },
];

/** Responds like the API. The current region is in a list, and that of a forecast is a single object. */
function speaks({ path }: ReceivedRequest): PlannedResponse {
  switch (path) {
    case '/intensity':
      return { body: { data: NATIONAL.slice(0, 1) } };
    case '/intensity/2026-11-16T10:00Z/fw48h':
      return { body: { data: NATIONAL } };
    case '/regional/regionid/13':
      return { body: { data: [{ ...LONDON, data: REGIONAL.slice(0, 1) }] } };
    case '/regional/intensity/2026-11-16T10:00Z/fw48h/regionid/13':
      return { body: { data: { ...LONDON, data: REGIONAL } } };
    case '/regional':
      return {
        body: {
          data: [
            {
              from: '2026-11-16T10:00Z',
              to: '2026-11-16T10:30Z',
              regions: [
                { ...LONDON, intensity: { forecast: 120, index: 'low' }, generationmix: MIX },
                { regionid: 18, dnoregion: 'GB', shortname: 'GB', intensity: { forecast: 266, index: 'moderate' } },
              ],
            },
          ],
        },
      };
    default:
      return { status: 400, body: { error: { code: '400 Bad Request', message: 'Please enter a valid path' } } };
  }
}

let server: Awaited<ReturnType<typeof providerServer>>;
beforeEach(async () => {
  server = await providerServer(speaks);
});
afterEach(() => server.close());
const open = () => ukCarbonIntensity({ url: server.url, fetch, clock });

for (const zone of ['GB', 'GB-13']) {
  providerContract(`the Carbon Intensity API for ${zone}`, () => ({ provider: open(), zone, unknown: 'DE', now: NOW }));
}

describe('the Carbon Intensity API', () => {
  it('prefers measurements over forecasts', async () => {
    expect((await open().current('GB')).intensity).toBe(263);
    expect((await open().forecast('GB')).map(({ intensity }) => intensity)).toEqual([263, 240]);
  });

  it('receives the number of a region', async () => {
    expect(await open().current('GB-13')).toEqual({
      from: Date.parse('2026-11-16T10:00Z'),
      to: Date.parse('2026-11-16T10:30Z'),
      intensity: 120,
    });
    expect((await open().forecast('GB-13')).map(({ intensity }) => intensity)).toEqual([120, 90]);
  });

  it('has the whole and its regions as zones, and not the whole a second time', async () => {
    expect(await open().zones()).toEqual([
      { zone: 'GB', name: 'Great Britain' },
      { zone: 'GB-13', name: 'Great Britain: London' },
    ]);
  });

  it.each(['DE', 'GB-0', 'GB-18', 'GB-LON', 'GB-13/../1'])('receives no request for %s', async (zone) => {
    await expect(open().current(zone)).rejects.toMatchObject({ code: 'UNKNOWN_ZONE' });
    await expect(open().forecast(zone)).rejects.toMatchObject({ code: 'UNKNOWN_ZONE' });
    expect(server.asked).toEqual([]);
  });
});
