import { parseDuration } from '#platform/base/duration';
import { ParseError } from '#platform/base/errors';
import { type TracePoint, traceAt } from './trace.ts';
import { walkAt } from './walk.ts';

/** Returns the utilization at a time in milliseconds since the Unix epoch. 1 is full use. */
export type Profile = (time: number) => number;

/** Traces that profiles may name. */
export type Traces = ReadonlyMap<string, readonly TracePoint[]>;

const DAY = 86_400_000;

/**
 * Parses a profile. Its values are ratios of the resources of a pod or its machine:
 * - `0.4`, `constant 0.4`
 * - `sine mean=0.4 amplitude=0.3 period=24h peak=14h`: the maximum is at 14:00 UTC
 * - `walk mean=0.5 step=0.05 every=5m min=0 max=1 seed=7`: a random walk; the seed defaults to the pod's UID
 * - `trace 0s:0.1 6h:0.8 24h:0.1`: points after midnight UTC, linearly interpolated; repeats after the last point
 * - `trace NAME`: the points of a trace of the fleet
 */
export function parseProfile(text: string, seed: string, traces: Traces = new Map()): Profile {
  const [kind = '', ...words] = text.trim().split(/\s+/);
  switch (kind) {
    case 'constant':
      return constant(share(words[0] ?? '', text));
    case 'sine':
      return sine(settings(words, text, { mean: 0.5, amplitude: 0.25, period: '24h', peak: '14h' }), text);
    case 'walk':
      return walk(settings(words, text, { mean: 0.5, step: 0.05, every: '5m', min: 0, max: 1, seed }), text);
    case 'trace':
      return trace(words, text, traces);
    default:
      return constant(share(kind, text));
  }
}

const constant =
  (value: number): Profile =>
  () =>
    value;

function sine(given: Readonly<Record<string, string>>, text: string): Profile {
  const [mean, amplitude] = [share(given['mean'], text), share(given['amplitude'], text)];
  const [period, peak] = [span(given['period'], text), span(given['peak'], text)];
  return (time) => Math.max(0, mean + amplitude * Math.cos((2 * Math.PI * (time - peak)) / period));
}

function walk(given: Readonly<Record<string, string>>, text: string): Profile {
  const number = (name: string) => share(given[name], text);
  const [min, max] = [number('min'), number('max')];
  if (min >= max) throw wrong(text, 'max must be greater than min');
  const shape = { mean: number('mean'), step: number('step'), min, max, seed: given['seed'] ?? '' };
  const every = span(given['every'], text);
  return (time) => walkAt(shape, time / every);
}

function trace(words: readonly string[], text: string, traces: Traces): Profile {
  const [name = ''] = words;
  const points = name.includes(':') ? words.map((word) => point(word, text)) : traces.get(name);
  if (points === undefined || points.length === 0) throw wrong(text, `trace "${name}" not found`);
  const sorted = points.toSorted((a, b) => a.at - b.at);
  return (time) => traceAt(sorted, time % Math.max(DAY, sorted.at(-1)?.at ?? 0));
}

function point(word: string, text: string): TracePoint {
  const [at = '', value = ''] = word.split(':');
  return { at: span(at, text, true), value: share(value, text) };
}

/** Parses name=value pairs, with defaults. */
function settings(
  words: readonly string[],
  text: string,
  fallback: Readonly<Record<string, string | number>>,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(fallback)) given[name] = String(value);
  for (const word of words) {
    const [name = '', value = ''] = word.split('=');
    if (given[name] === undefined) throw wrong(text, `"${word}" is not one of ${Object.keys(fallback).join('=, ')}=`);
    given[name] = value;
  }
  return given;
}

function share(word: string | undefined, text: string): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(word ?? '') ? Number(word) : Number.NaN;
  if (!(value >= 0)) throw wrong(text, `"${word}" is not a number that is 0 or more`);
  return value;
}

function span(word: string | undefined, text: string, orZero = false): number {
  const ms = parseDuration(word ?? '');
  if (!(ms > 0 || (orZero && ms === 0))) throw wrong(text, `"${word}" is not a time`);
  return ms;
}

function wrong(text: string, why: string): ParseError {
  return new ParseError(`"${text}" is not a profile: ${why}`, {
    hint: 'write constant 0.4, sine mean=0.4 amplitude=0.3, walk mean=0.5 step=0.05 or trace 0s:0.1 12h:0.8',
  });
}
