import type { Clock } from '#platform/base/clock';
import { fetchJson, type JsonFetch, type WebRequestDeps } from './fetch-json.ts';
import { type CarbonProvider, unknownZone } from './provider.ts';
import { fields, grams, items, time } from './reading.ts';
import type { Slot } from './slot.ts';

const UK_CARBON_INTENSITY_URL = 'https://api.carbonintensity.org.uk';

export interface UkCarbonIntensityOptions {
  readonly url?: string;
  readonly fetch: JsonFetch;
  readonly clock: Clock;
}

const WHO = 'The Carbon Intensity API';
const HALF_HOUR = 30 * 60_000;

/**
 * Provides intensities of the Carbon Intensity API of Great Britain's system operator: free, half-hourly, with a
 * forecast for two days. GB is the whole country; GB-1 to GB-17 are regions by their numbers in the API (GB-13 is
 * London).
 */
export function ukCarbonIntensity({
  url = UK_CARBON_INTENSITY_URL,
  fetch,
  clock,
}: UkCarbonIntensityOptions): CarbonProvider {
  const web: WebRequestDeps = { who: WHO, url, fetch, clock };
  const data = async (path: string, signal?: AbortSignal) =>
    fields(WHO, 'the response', await fetchJson(web, path, signal))['data'];
  /** Returns the path for two days from the current half-hour. */
  const ahead = () => {
    const from = new Date(Math.floor(clock.now() / HALF_HOUR) * HALF_HOUR).toISOString();
    return `${from.slice(0, 16)}Z/fw48h`;
  };
  return {
    name: 'uk-carbon-intensity',
    async current(zone, signal) {
      const region = regionOf(zone);
      if (region === 'all') return slotOf('data[0]', items(WHO, 'data', await data('/intensity', signal))[0]);
      const [found] = items(WHO, 'data', await data(`/regional/regionid/${region}`, signal));
      return slotOf('data[0].data[0]', items(WHO, 'data[0].data', fields(WHO, 'data[0]', found)['data'])[0]);
    },
    async forecast(zone, signal) {
      const region = regionOf(zone);
      if (region === 'all') return slotsOf('data', await data(`/intensity/${ahead()}`, signal));
      const found = await data(`/regional/intensity/${ahead()}/regionid/${region}`, signal);
      return slotsOf('data.data', fields(WHO, 'data', found)['data']);
    },
    async zones(signal) {
      const [now] = items(WHO, 'data', await data('/regional', signal));
      const regions = items(WHO, 'data[0].regions', fields(WHO, 'data[0]', now)['regions']);
      const named = regions.flatMap((each, i) => {
        const { regionid, shortname } = fields(WHO, `data[0].regions[${i}]`, each);
        const known = typeof regionid === 'number' && REGION.test(`GB-${regionid}`);
        return known ? [{ zone: `GB-${regionid}`, name: `Great Britain: ${String(shortname)}` }] : [];
      });
      return [{ zone: 'GB', name: 'Great Britain' }, ...named];
    },
  };
}

const REGION = /^GB-([1-9]|1[0-7])$/;

function regionOf(zone: string): string {
  if (zone === 'GB') return 'all';
  const region = REGION.exec(zone)?.[1];
  if (region === undefined) throw unknownZone(WHO, zone);
  return region;
}

const slotsOf = (place: string, value: unknown): Slot[] =>
  items(WHO, place, value)
    .map((each, i) => slotOf(`${place}[${i}]`, each))
    .toSorted((a, b) => a.from - b.from);

/** Parses a slot with the measured intensity if it is known, else the forecast one. */
function slotOf(place: string, value: unknown): Slot {
  const { from, to, intensity } = fields(WHO, place, value);
  const { actual, forecast } = fields(WHO, `${place}.intensity`, intensity);
  const known = typeof actual === 'number' ? actual : forecast;
  return {
    from: time(WHO, `${place}.from`, from),
    to: time(WHO, `${place}.to`, to),
    intensity: grams(WHO, `${place}.intensity.forecast`, known),
  };
}
