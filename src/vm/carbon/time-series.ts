import { parse } from 'yaml';
import type { Clock } from '#platform/base/clock';
import { CarbonError, type CarbonProvider, type GridZone, unknownZone } from './provider.ts';
import { fields, grams, items, time } from './reading.ts';
import { type Slot, slotAt } from './slot.ts';

/** The row of one zone: times of one day that come again every day, or times that come once. */
interface Series extends GridZone {
  readonly daily: boolean;
  /** In order; of a daily one, milliseconds since midnight UTC. Each holds until the next. */
  readonly points: readonly { readonly at: number; readonly intensity: number }[];
}

export interface TimeSeriesOptions {
  /** Where the text comes from, for messages: a file, a ConfigMap. */
  readonly from: string;
  /** Read anew whenever something is asked, so that changes count. */
  readonly read: () => Promise<string>;
  readonly clock: Clock;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;
const DAYS_AHEAD = 2;

/**
 * Intensities that somebody wrote down, in YAML or JSON:
 *
 *     zones:
 *       DE:
 *         name: Germany
 *         intensity: [{ at: "00:00", grams: 320 }, { at: "11:00", grams: 140 }]
 *
 * `at` is a time of day (UTC), and the row comes again every day; or a full time (2026-11-16T11:00Z), and it comes once.
 * Each value holds until the next one; the last of full times for an hour.
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
      throw new CarbonError('UNKNOWN_ZONE', `${from} says nothing of zone ${zone} for this time`, {
        hint: 'Write down times that are still to come, or times of day, which come again.',
      });
    },
    async forecast(zone) {
      return (await seriesOf(zone)).filter(({ to }) => to > clock.now());
    },
    zones: async () => parseTimeSeries(from, await read()).map(({ zone, name }) => ({ zone, name })),
  };
}

/** Throws a CarbonError that names the place of what is wrong. */
function parseTimeSeries(from: string, text: string): Series[] {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    // What follows the first line shows the place in the text, on lines of its own.
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

/** From yesterday on, so that what began before midnight is known after it. */
function slotsOf({ daily, points }: Series, now: number): Slot[] {
  const today = Math.floor(now / DAY) * DAY;
  const starts = daily
    ? Array.from({ length: DAYS_AHEAD + 2 }, (_, day) => today + (day - 1) * DAY).flatMap((midnight) =>
        points.map(({ at, intensity }) => ({ from: midnight + at, intensity })),
      )
    : points.map(({ at, intensity }) => ({ from: at, intensity }));
  return starts.map(({ from, intensity }, i) => ({ from, to: starts[i + 1]?.from ?? from + HOUR, intensity }));
}
