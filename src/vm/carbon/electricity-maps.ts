import type { Clock } from '#platform/base/clock';
import { fetchJson, type JsonFetch, type WebRequestDeps } from './fetch-json.ts';
import type { CarbonProvider, GridZone } from './provider.ts';
import { fields, grams, items, time } from './reading.ts';
import type { Slot } from './slot.ts';

const ELECTRICITY_MAPS_URL = 'https://api.electricitymaps.com';

export interface ElectricityMapsOptions {
  readonly url?: string;
  /** Token that is only sent in the auth-token header. */
  readonly token: string;
  readonly fetch: JsonFetch;
  readonly clock: Clock;
}

const WHO = 'Electricity Maps';
const HOUR = 3_600_000;

/**
 * Provides intensities of Electricity Maps, version 3 of its API: worldwide and hourly. The plan of a token limits its
 * requests.
 */
export function electricityMaps({
  url = ELECTRICITY_MAPS_URL,
  token,
  fetch,
  clock,
}: ElectricityMapsOptions): CarbonProvider {
  const web: WebRequestDeps = { who: WHO, url, headers: { 'auth-token': token }, fetch, clock };
  const hour = (place: string, value: unknown): Slot => {
    const { datetime, carbonIntensity } = fields(WHO, place, value);
    const from = time(WHO, `${place}.datetime`, datetime);
    return { from, to: from + HOUR, intensity: grams(WHO, `${place}.carbonIntensity`, carbonIntensity) };
  };
  return {
    name: 'electricity-maps',
    async current(zone, signal) {
      return hour(
        'the response',
        await fetchJson(web, `/v3/carbon-intensity/latest?zone=${encodeURIComponent(zone)}`, signal),
      );
    },
    async forecast(zone, signal) {
      const path = `/v3/carbon-intensity/forecast?zone=${encodeURIComponent(zone)}`;
      const { forecast } = fields(WHO, 'the response', await fetchJson(web, path, signal));
      return items(WHO, 'forecast', forecast)
        .map((each, i) => hour(`forecast[${i}]`, each))
        .toSorted((a, b) => a.from - b.from);
    },
    async zones(signal) {
      const all = fields(WHO, 'the response', await fetchJson(web, '/v3/zones', signal));
      return Object.entries(all)
        .map(([zone, value]): GridZone => ({ zone, name: nameOf(fields(WHO, zone, value)) ?? zone }))
        .toSorted((a, b) => (a.zone < b.zone ? -1 : 1));
    },
  };
}

/** Returns the name of a zone. Parts of a country also show the name of the country. */
function nameOf({ zoneName, countryName }: { readonly zoneName?: unknown; readonly countryName?: unknown }) {
  if (typeof zoneName !== 'string') return undefined;
  return typeof countryName === 'string' && countryName !== zoneName ? `${countryName}: ${zoneName}` : zoneName;
}
