import { goQuote } from '#platform/base/go-value';

/** A parsed time, or Go's error for it. */
export type ReadTime = { readonly ms: number; readonly micros: number } | { readonly error: string };

/** Parts of the layout, each with its text in Go's layouts. */
const LAYOUT: readonly (readonly [pattern: RegExp, layout: string, range?: readonly [string, number, number]])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01', ['month', 1, 12]],
  [/^-/, '-'],
  [/^\d{2}/, '02', ['day', 1, 31]],
  [/^T/, 'T'],
  [/^\d{2}/, '15', ['hour', 0, 23]],
  [/^:/, ':'],
  [/^\d{2}/, '04', ['minute', 0, 59]],
  [/^:/, ':'],
  [/^\d{2}/, '05', ['second', 0, 59]],
];
const ZONE = /^(?:Z|[+-](?:[01]\d|2[0-4]):[0-5]\d)/;

/** Parses a time as Go's time.Parse does. `micro` selects the layout of MicroTime, which requires six decimals. */
export function readGoTime(text: string, micro: boolean): ReadTime {
  const layout = `2006-01-02T15:04:05${micro ? '.000000' : ''}Z07:00`;
  const mismatch = (rest: string, part: string) => ({
    error: `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(rest)} as ${goQuote(part)}`,
  });
  let rest = text;
  for (const [pattern, part, range] of LAYOUT) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return mismatch(rest, part);
    if (range !== undefined && (Number(found) < range[1] || Number(found) > range[2])) {
      return { error: `parsing time ${goQuote(text)}: ${range[0]} out of range` };
    }
    rest = rest.slice(found.length);
  }
  const fraction = (micro ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(rest)?.[0] ?? '';
  if (micro && fraction === '') return mismatch(rest, '.000000');
  rest = rest.slice(fraction.length);
  const zone = ZONE.exec(rest)?.[0];
  if (zone === undefined) return mismatch(rest, 'Z07:00');
  if (rest !== zone) return { error: `parsing time ${goQuote(text)}: extra text: ${goQuote(rest.slice(zone.length))}` };
  return instant(text, zone, fraction);
}

function instant(text: string, zone: string, fraction: string): ReadTime {
  const seconds = text.slice(0, '2006-01-02T15:04:05'.length);
  const local = new Date(`${seconds}Z`);
  // Without this check, a day beyond the end of its month would overflow into the next.
  if (Number.isNaN(local.getTime()) || local.getUTCDate() !== Number(seconds.slice(8, 10))) {
    return { error: `parsing time ${goQuote(text)}: day out of range` };
  }
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return { ms: local.getTime() - offset, micros: Number(fraction.slice(1, 7).padEnd(6, '0')) };
}

/** Formats a time as in JSON: in whole seconds, or with six decimals for a MicroTime. */
export function formatGoTime({ ms, micros }: { readonly ms: number; readonly micros: number }, micro: boolean): string {
  const seconds = new Date(ms).toISOString().slice(0, -'.000Z'.length);
  return `${seconds}${micro ? `.${String(micros).padStart(6, '0')}` : ''}Z`;
}
