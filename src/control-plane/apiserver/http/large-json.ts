import { setOwn } from '#platform/base/own-value';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';
import { endOfString, parseSlice, SCANNED } from './json-text.ts';

export interface Chunking {
  /** Size of text that is parsed without a pause. */
  readonly size: number;
  readonly pause: () => Promise<void>;
}

/**
 * Maximum depth at which text is split. Deeper values are parsed whole, because splitting would cost as much on every
 * level.
 */
const MAX_DEPTH = 8;

/**
 * Parses JSON in chunks, with a pause after each: long text is split between members or items. Returns what JSON.parse
 * returns, and throws a SyntaxError if that would.
 */
export async function parseInChunks(text: string, chunking: Chunking, level = 0): Promise<unknown> {
  const trimmed = trim(text);
  const first = trimmed.charCodeAt(0);
  const isObject = first === OPEN_OBJECT;
  if (trimmed.length <= chunking.size || level > MAX_DEPTH || (!isObject && first !== OPEN_ARRAY)) {
    const value = parseSlice(trimmed);
    if (trimmed.length > chunking.size / 8) await chunking.pause();
    return value;
  }
  if (trimmed.charCodeAt(trimmed.length - 1) !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) throw syntaxError();
  if (trim(trimmed.slice(1, -1)) === '') return isObject ? {} : [];
  return isObject ? await objectIn(trimmed, chunking, level) : await listIn(trimmed, chunking, level);
}

async function listIn(text: string, chunking: Chunking, level: number): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const part of partsOf(text, chunking.size)) {
    if (part === PAUSE) await chunking.pause();
    else if (part.length > chunking.size) {
      items.push(await parseInChunks(part, chunking, level + 1));
    } else {
      for (const item of parseSlice(`[${assertNotEmpty(part)}]`) as unknown[]) items.push(item);
      await chunking.pause();
    }
  }
  return items;
}

async function objectIn(text: string, chunking: Chunking, level: number): Promise<object> {
  const members: Record<string, unknown> = {};
  for (const part of partsOf(text, chunking.size)) {
    if (part === PAUSE) await chunking.pause();
    else if (part.length > chunking.size) {
      const [key, value] = split(part);
      setOwn(members, key, await parseInChunks(value, chunking, level + 1));
    } else {
      const some = parseSlice(`{${assertNotEmpty(part)}}`) as Record<string, unknown>;
      for (const key of Object.keys(some)) setOwn(members, key, some[key]);
      await chunking.pause();
    }
  }
  return members;
}

/** Yielded when finding the next part has taken as long as parsing one. */
const PAUSE = undefined;

/** Splits the content of an object or array at its own commas; a part that is longer than a chunk stands alone. */
function* partsOf(text: string, size: number): Generator<string | typeof PAUSE> {
  const end = text.length - 1;
  let next = SCANNED;
  let depth = 0;
  let start = 1;
  let last = 1;
  for (let i = 1; i < end; i++) {
    if (i > next) {
      yield PAUSE;
      next = i + SCANNED;
    }
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (--depth < 0) throw syntaxError();
        break;
      case COMMA:
        if (depth > 0) break;
        if (i - start > size) {
          // The parts before a long one come first.
          if (last > start) {
            yield text.slice(start, last - 1);
            start = last;
          }
          yield text.slice(start, i);
          start = i + 1;
        }
        last = i + 1;
        break;
      default:
    }
  }
  if (depth !== 0) throw syntaxError();
  if (last > start && end - start > size) {
    yield text.slice(start, last - 1);
    start = last;
  }
  yield text.slice(start, end);
}

function split(member: string): [key: string, value: string] {
  const trimmed = trim(member);
  if (trimmed.charCodeAt(0) !== QUOTE) throw syntaxError();
  const end = endOfString(trimmed, 0);
  const rest = trim(trimmed.slice(end + 1));
  if (rest.charCodeAt(0) !== COLON) throw syntaxError();
  return [parseSlice(trimmed.slice(0, end + 1)) as string, rest.slice(1)];
}

/** Rejects an empty part: a comma must have a value on both sides. */
function assertNotEmpty(part: string): string {
  if (trim(part) === '') throw syntaxError();
  return part;
}

const SPACE = new Set([' ', '\t', '\n', '\r']);

/** Trims what JSON treats as whitespace, which is less than String.trim does. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.has(text[start] as string)) start++;
  while (end > start && SPACE.has(text[end - 1] as string)) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

const syntaxError = (): SyntaxError => new SyntaxError('invalid JSON');
