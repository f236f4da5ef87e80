import { isTimeZone, wallTime } from '#platform/base/time-zone';
import { EvaluationError } from './values.ts';

const MAX_INT = 2n ** 63n - 1n;
const SECOND = 1_000_000_000n;
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter look alike, and both are accepted.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};
const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Parses a duration in Go's format (1h30m, -1.5s) to nanoseconds, or returns undefined if it is invalid. */
export function parseCelDuration(text: string): bigint | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  let at = sign.length;
  if (text.slice(at) === '0') return 0n;
  if (at === text.length) return undefined;
  let total = 0n;
  while (at < text.length) {
    PART.lastIndex = at;
    const [all, whole = '', fraction = '', unit = ''] = PART.exec(text) ?? [];
    const scale = UNITS[unit];
    if (all === undefined || scale === undefined || whole + fraction === '' || whole.length > 30) return undefined;
    const digits = fraction.slice(0, 18);
    total += BigInt(whole || '0') * scale + (BigInt(digits || '0') * scale) / 10n ** BigInt(digits.length);
    if (total > MAX_INT) return undefined;
    at += all.length;
  }
  return sign === '-' ? -total : total;
}

/** Formats a duration as a number of seconds: 90s, 1.5s. */
export function formatCelDuration(ns: bigint): string {
  return `${decimal(ns)}s`;
}

function decimal(ns: bigint): string {
  const abs = ns < 0n ? -ns : ns;
  const fraction = (abs % SECOND).toString().padStart(9, '0').replace(/0+$/, '');
  return `${ns < 0n ? '-' : ''}${abs / SECOND}${fraction === '' ? '' : `.${fraction}`}`;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:([Zz])|([+-])(\d\d):?(\d\d))$/;

/** Parses an RFC 3339 time to nanoseconds since 1970, or returns undefined if it is invalid. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(ms);
  if (year < 100) date.setUTCFullYear(year, month - 1, day);
  const real = month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || second > 59) return undefined;
  const [offsetHours, offsetMinutes] = [Number(match[10] ?? 0), Number(match[11] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (match[9] === '-' ? -60_000 : 60_000);
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return BigInt(date.getTime() - offset) * 1_000_000n + fraction;
}

/** Parses a day (2026-01-31) of the date format. */
export function parseDate(text: string): bigint | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
}

export function formatTimestamp(ns: bigint): string {
  const seconds = floorDivide(ns, SECOND);
  const fraction = (ns - seconds * SECOND).toString().padStart(9, '0').replace(/0+$/, '');
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${fraction === '' ? '' : `.${fraction}`}Z`;
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

const FIRST = parseTimestamp('0001-01-01T00:00:00Z') as bigint;
const LAST = parseTimestamp('9999-12-31T23:59:59.999999999Z') as bigint;

/** Returns the instant after checking that it lies in the years 1 to 9999. */
export function inRange(ns: bigint): bigint {
  if (ns < FIRST || ns > LAST) throw new EvaluationError('timestamp overflow');
  return ns;
}

/** Returns the wall-clock time of a time zone at an instant, as a date whose UTC fields hold it. */
export function wallClock(ns: bigint, zone: string): Date {
  const ms = Number(floorDivide(ns, 1_000_000n));
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset === null && zone.includes(':')) {
    throw new EvaluationError(`strconv.Atoi: parsing "${zone.split(':')[0]}": invalid syntax`);
  }
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  if (zone === '' || zone === 'UTC') return new Date(ms);
  if (!isTimeZone(zone)) throw new EvaluationError(`unknown time zone ${zone}`);
  return new Date(wallTime(ms, zone));
}
