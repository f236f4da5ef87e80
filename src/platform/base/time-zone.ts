import { ParseError } from './errors.ts';

const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Reports whether the runtime supports a time zone of this name (Europe/Berlin, UTC). */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the wall-clock time of a time zone at an instant, as the milliseconds that the same reading has in UTC. This
 * keeps arithmetic on wall times simple.
 */
export function wallTime(instant: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const ms = ((instant % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/**
 * Returns the instant at which the clocks of a time zone show a wall time: the first one if they show it twice, and the
 * moment the clocks were put forward if they skip it.
 */
export function instantOf(wall: number, timeZone: string): number {
  const offset = (instant: number): number => wallTime(instant, timeZone) - instant;
  const [before, after] = [offset(wall - DAY), offset(wall + DAY)];
  const candidates = [wall - before, wall - after].filter((instant) => wallTime(instant, timeZone) === wall);
  return candidates.length > 0 ? Math.min(...candidates) : changeBetween(wall - after, wall - before, offset);
}

/** Finds the first instant with the offset of the end by bisection. The offset changes once in between. */
function changeBetween(start: number, end: number, offset: (instant: number) => number): number {
  const target = offset(end);
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === target) high = middle;
    else low = middle;
  }
  return high;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const key = timeZone.toLowerCase();
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = createFormat(timeZone);
  formats.set(key, format);
  return format;
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch (cause) {
    throw new ParseError(`unknown time zone "${timeZone}"`, {
      cause,
      hint: 'use an IANA name such as Europe/Berlin or UTC',
    });
  }
}
