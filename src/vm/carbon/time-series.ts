import { parse } from 'yaml';
import type { Clock } from '#platform/base/clock';
import { CarbonError, type CarbonProvider, type GridZone, unknownZone } from './provider.ts';
import { fields, grams, items, time } from './reading.ts';
import { type Slot, slotAt } from './slot.ts';

/** Time series of one zone, with times of day that repeat daily, or with absolute times. */
interface Series extends GridZone {
  readonly daily: boolean;
  /** Points in order, each valid until the next. Times of a daily series are milliseconds since midnight UTC. */
  readonly points: readonly { readonly at: number; readonly intensity: number }[];
}

export interface TimeSeriesOptions {
  /** Origin of the text for messages, such as a file or ConfigMap. */
  readonly from: string;
  /** Reads the text again for each request, so that changes take effect. */
  readonly read: () => Promise<string>;
  readonly clock: Clock;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;
const DAYS_AHEAD = 2;

/**
 * Provides intensities from a time series in YAML or JSON:
 *
 *     zones:
 *       DE:
 *         name: Germany
 *         intensity: [{ at: "00:00", grams: 320 }, { at: "11:00", grams: 140 }]
 *
 * `at` is a time of day (UTC), which repeats daily, or an absolute time (2026-11-16T11:00Z). Each value holds until the
 * next one, and the last of absolute times for an hour.
 */
export function timeSeriesProvider({ from, read, clock }: TimeSeriesOptions): CarbonProvider {
  const seriesOf = async (zone: string) => {
    const found = parseTimeSeries(from, await read()).find((each) => each.zone === zone);
    if (found === undefined) throw unknownZone(from, zone);
    return slotsOf(found, clock.now());
  };
  return {
    name: 'time-series',
    async current(zone) {
      const found = slotAt(await seriesOf(zone), clock.now());
      if (found !== undefined) return found;
      throw new CarbonError('UNKNOWN_ZONE', `${from} has no value for zone ${zone} at this time`, {
        hint: 'Add rows with future times, or with times of day, which repeat daily.',
      });
    },
    async forecast(zone) {
      return (await seriesOf(zone)).filter(({ to }) => to > clock.now());
    },
    zones: async () => parseTimeSeries(from, await read()).map(({ zone, name }) => ({ zone, name })),
  };
}

/** Parses a time series. Throws a CarbonError that names the place of an invalid value. */
function parseTimeSeries(from: string, text: string): Series[] {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    // The lines after the first one show an excerpt of the text.
    const [what] = (error as Error).message.split(/:?\n/);
    throw new CarbonError('UNREADABLE', `${from} is neither YAML nor JSON: ${what}`);
  }
  const zones = fields(from, 'zones', fields(from, 'the top', value)['zones']);
  return Object.entries(zones)
    .map(([zone, each]) => seriesIn(from, zone, each))
    .toSorted((a, b) => (a.zone < b.zone ? -1 : 1));
}

function seriesIn(from: string, zone: string, value: unknown): Series {
  const { name, intensity } = fields(from, `zones.${zone}`, value);
  const place = `zones.${zone}.intensity`;
  const rows = items(from, place, intensity).map((each, i) => {
    const { at, grams: found } = fields(from, `${place}[${i}]`, each);
    const clockTime = typeof at === 'string' ? TIME_OF_DAY.exec(at) : null;
    const daily = clockTime !== null;
    const ms = daily
      ? Number(clockTime[1]) * HOUR + Number(clockTime[2]) * 60_000
      : time(from, `${place}[${i}].at`, at instanceof Date ? at.toISOString() : at);
    return { at: ms, daily, intensity: grams(from, `${place}[${i}].grams`, found) };
  });
  const daily = rows[0]?.daily ?? false;
  if (rows.length === 0) throw new CarbonError('UNREADABLE', `${from} has no row at ${place}`);
  const odd = rows.findIndex((row) => row.daily !== daily);
  if (odd >= 0) {
    throw new CarbonError('UNREADABLE', `${from} mixes times of day and full times at ${place}[${odd}].at`);
  }
  const points = rows.map(({ at, intensity: value }) => ({ at, intensity: value })).toSorted((a, b) => a.at - b.at);
  return { zone, name: typeof name === 'string' ? name : zone, daily, points };
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Returns slots from yesterday on, so that those that began before midnight are known after it. */
function slotsOf({ daily, points }: Series, now: number): Slot[] {
  const today = Math.floor(now / DAY) * DAY;
  const starts = daily
    ? Array.from({ length: DAYS_AHEAD + 2 }, (_, day) => today + (day - 1) * DAY).flatMap((midnight) =>
        points.map(({ at, intensity }) => ({ from: midnight + at, intensity })),
      )
    : points.map(({ at, intensity }) => ({ from: at, intensity }));
  return starts.map(({ from, intensity }, i) => ({ from, to: starts[i + 1]?.from ?? from + HOUR, intensity }));
}
