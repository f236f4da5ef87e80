import { ParseError } from './errors.ts';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter look alike, and Go reads both.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

const MAX_NS = 2n ** 63n - 1n;

/**
 * Parses a duration in Go's format (1h30m, -1.5s, 100ms), also in days and weeks (d, w), to milliseconds. Anything
 * finer than a nanosecond is cut off, and durations beyond Go's 64 bits of nanoseconds (292 years) are rejected.
 */
export function parseDuration(text: string): number {
  // The result is parsed from text because dividing a double would round twice.
  return Number(`${parseNanoseconds(text)}e-6`);
}

function parseNanoseconds(text: string): bigint {
  const negative = text.startsWith('-');
  let rest = /^[-+]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw new ParseError(`time: invalid duration ${quote(text)}`);
  let total = 0n;
  while (rest !== '') {
    const [number = '', whole = '', fraction = ''] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
    if (whole === '' && fraction === '') throw new ParseError(`time: invalid duration ${quote(text)}`);
    rest = rest.slice(number.length);
    const unit = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    if (unit === '') throw new ParseError(`time: missing unit in duration ${quote(text)}`);
    const scale = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (scale === undefined) throw new ParseError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    rest = rest.slice(unit.length);
    // Further digits cannot change the nanosecond, nor fit where Go reads them.
    const digits = fraction.slice(0, 18);
    const tooLong = whole.replace(/^0+/, '').length > 19;
    if (!tooLong) total += BigInt(whole) * scale + (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
    if (tooLong || total > MAX_NS + (negative ? 1n : 0n)) {
      throw new ParseError(`time: invalid duration ${quote(text)}`);
    }
  }
  return negative ? -total : total;
}

/** Quotes as Go's time package does: byte by byte, with everything outside printable ASCII in hexadecimal. */
function quote(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => {
    if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`;
    const char = String.fromCodePoint(byte);
    return char === '"' || char === '\\' ? `\\${char}` : char;
  });
  return `"${bytes.join('')}"`;
}

/** Formats milliseconds as Go formats a time.Duration: 1h30m0s, 1.5s, 250ms, 3ns. */
export function formatDuration(ms: number): string {
  const ns = toNanoseconds(ms);
  if (ns === 0n) return '0s';
  const abs = ns < 0n ? -ns : ns;
  return (ns < 0n ? '-' : '') + (abs < 1_000_000_000n ? formatBelowSecond(abs) : formatFromSecond(abs));
}

function formatBelowSecond(ns: bigint): string {
  if (ns < 1_000n) return `${ns}ns`;
  if (ns < 1_000_000n) return `${decimal(ns, 3)}\u00b5s`;
  return `${decimal(ns, 6)}ms`;
}

function formatFromSecond(ns: bigint): string {
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, places: number): string {
  const text = value.toString().padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return text.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`);
}

/** Converts milliseconds to nanoseconds. It splits off the whole part because a double cannot hold both. */
function toNanoseconds(ms: number): bigint {
  if (!Number.isFinite(ms)) throw new RangeError(`a duration must be a finite number, not ${ms}`);
  const whole = Math.trunc(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}

/** Formats an age as kubectl does, in two or three figures: 5s, 2m30s, 47h, 3d4h, 2y1d. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // A clock that is up to two seconds behind counts as now.
  if (seconds < -1) return '<invalid>';
  if (seconds <= 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? '' : `${small}${smallUnit}`}`;
}
