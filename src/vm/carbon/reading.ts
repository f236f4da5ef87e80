import { CarbonError } from './provider.ts';

/** Parses responses of providers, which may be anything. Errors name the place of an invalid value. */

export type Fields = Readonly<Record<string, unknown>>;

export function fields(who: string, place: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw unreadable(who, place, 'an object', value);
}

export function items(who: string, place: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unreadable(who, place, 'a list', value);
}

/** Parses an intensity. Providers report no negative ones, and null means that they do not know. */
export function grams(who: string, place: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw unreadable(who, place, 'a number of grams', value);
}

/** Parses a time with its zone: 2026-11-16T12:30Z. */
export function time(who: string, place: string, value: unknown): number {
  const ms = typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw unreadable(who, place, 'a time', value);
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

function unreadable(who: string, place: string, desired: string, value: unknown): CarbonError {
  const shown = JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
  return new CarbonError('UNREADABLE', `${who} returned ${shown} at ${place}, expected ${desired}`);
}
