import { fn, type Library, method } from '../library.ts';
import { isPlain, runeCount } from '../text.ts';
import { ArrayList, EvaluationError, type List, noSuchOverload, type StepCounter } from '../values.ts';
import { quote } from './quote.ts';
import { formatText } from './text-format.ts';

const outOfRange = (index: bigint): EvaluationError => new EvaluationError(`index out of range: ${index}`);

/** Returns the characters of a text, or the text itself if each character is one unit. */
function charsOf(text: string): string | string[] {
  return isPlain(text) ? text : [...text];
}

function join(chars: string | readonly string[]): string {
  return typeof chars === 'string' ? chars : chars.join('');
}

function charAt(text: string, index: bigint): string {
  const chars = charsOf(text);
  if (index < 0n || index > BigInt(chars.length)) throw outOfRange(index);
  return chars[Number(index)] ?? '';
}

/** Converts a position in JavaScript's units to one in characters. */
function position(text: string, unit: number): bigint {
  return BigInt(unit < 0 || isPlain(text) ? unit : runeCount(text.slice(0, unit)));
}

function indexOf(text: string, part: string, from = 0n): bigint {
  if (from < 0n) throw outOfRange(from);
  const chars = charsOf(text);
  if (part === '') return from;
  if (from >= BigInt(chars.length)) return -1n;
  return position(text, text.indexOf(part, join(chars.slice(0, Number(from))).length));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const chars = charsOf(text);
  if (from !== undefined && from < 0n) throw outOfRange(from);
  if (part === '') return from ?? BigInt(chars.length);
  if (from !== undefined && from >= BigInt(chars.length)) return -1n;
  const start = from === undefined ? text.length : join(chars.slice(0, Number(from))).length;
  return position(text, text.lastIndexOf(part, start));
}

function substring(text: string, from: bigint, to?: bigint): string {
  const chars = charsOf(text);
  const end = to ?? BigInt(chars.length);
  if (from < 0n || (to === undefined && from > end)) throw outOfRange(from);
  if (end < 0n || end > BigInt(chars.length)) throw outOfRange(end);
  if (from > end) throw new EvaluationError(`invalid substring range. start: ${from}, end: ${end}`);
  return join(chars.slice(Number(from), Number(end)));
}

function split(text: string, separator: string, limit = -1n): ArrayList {
  if (limit === 0n) return new ArrayList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return new ArrayList(parts);
  const kept = parts.slice(0, Number(limit) - 1);
  return new ArrayList([...kept, parts.slice(kept.length).join(separator)]);
}

function replace(text: string, from: string, to: string, limit = -1n): string {
  if (limit < 0n) return text.replaceAll(from, () => to);
  if (from === '') return replaceBetween(text, to, Number(limit));
  const parts = text.split(from);
  const count = Math.min(Number(limit), parts.length - 1);
  return (
    parts.slice(0, count + 1).join(to) +
    parts
      .slice(count + 1)
      .map((part) => from + part)
      .join('')
  );
}

/** Replaces the empty string, which inserts the text before, between and after all characters. */
function replaceBetween(text: string, inserted: string, limit: number): string {
  const chars = [...text];
  let out = '';
  for (let i = 0; i <= chars.length; i++) out += (i < limit ? inserted : '') + (chars[i] ?? '');
  return out;
}

function joinAll(list: List, separator: string, counter: StepCounter): string {
  counter.counter(list.size);
  const parts: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (typeof item !== 'string') throw noSuchOverload();
    parts.push(item);
  }
  return parts.join(separator);
}

const lower = (text: string): string => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string): string => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase());
/** Trims by hand, because a pattern for trailing blanks may backtrack very often. */
function trim(text: string): string {
  const blank = /[\s\u0085]/u;
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

export const STRINGS: Library = {
  overloads: [
    method('contains', 'string, string -> bool', (a: string, b: string) => a.includes(b)),
    method('startsWith', 'string, string -> bool', (a: string, b: string) => a.startsWith(b)),
    method('endsWith', 'string, string -> bool', (a: string, b: string) => a.endsWith(b)),
    method('charAt', 'string, int -> string', charAt),
    method('indexOf', 'string, string -> int', (a: string, b: string) => indexOf(a, b)),
    method('indexOf', 'string, string, int -> int', (a: string, b: string, c: bigint) => indexOf(a, b, c)),
    method('lastIndexOf', 'string, string -> int', (a: string, b: string) => lastIndexOf(a, b)),
    method('lastIndexOf', 'string, string, int -> int', (a: string, b: string, c: bigint) => lastIndexOf(a, b, c)),
    method('substring', 'string, int -> string', (a: string, b: bigint) => substring(a, b)),
    method('substring', 'string, int, int -> string', (a: string, b: bigint, c: bigint) => substring(a, b, c)),
    method('split', 'string, string -> list(string)', (a: string, b: string) => split(a, b)),
    method('split', 'string, string, int -> list(string)', (a: string, b: string, c: bigint) => split(a, b, c)),
    method('replace', 'string, string, string -> string', (a: string, b: string, c: string) => replace(a, b, c)),
    method('replace', 'string, string, string, int -> string', (a: string, b: string, c: string, d: bigint) =>
      replace(a, b, c, d),
    ),
    method('join', 'list(string) -> string', (a: List, counter: StepCounter) => joinAll(a, '', counter)),
    method('join', 'list(string), string -> string', joinAll),
    method('lowerAscii', 'string -> string', lower),
    method('upperAscii', 'string -> string', upper),
    method('trim', 'string -> string', trim),
    method('format', 'string, list(dyn) -> string', formatText),
    fn('strings.quote', 'string -> string', quote),
  ],
};
