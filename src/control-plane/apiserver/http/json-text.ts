import { NumberTooLarge, parseFiniteJson } from '#platform/base/finite-json';
import { jsonProblem } from '#platform/base/json-problem';
import { tooLarge } from '../api-error.ts';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';
import { parseInChunks } from './large-json.ts';

/** Deeper than anything that is meant, and far less than what a stack can hold. */
const DEEPEST = 1_000;
/**
 * More than any object has that is meant, and few enough that no stage of a write takes longer than others should wait.
 * kube-apiserver works on such a body until its deadline.
 */
const MOST_CONTAINERS = 100_000;
const MOST_ENTRIES = 50_000;
const LONG = 1_000;
/** Text that is looked through in one go. */
export const SCANNED = 512 * 1024;
/** Text that is parsed in one go: a few milliseconds. */
const CHUNK = 128 * 1024;
/** Text whose parts are counted in one go. */
const COUNTED = 256 * 1024;

/**
 * Reads JSON that somebody else wrote. Throws a SyntaxError in Go's words where it is none, or is nested too deeply to
 * be worked on; half a surrogate pair, which no UTF-8 can hold, becomes the sign for what cannot be shown, as in Go.
 */
export function parseJson(text: string): unknown {
  if (text.length > DEEPEST) {
    const parts = new PartCount(text);
    parts.advance(text.length);
    checkParts(parts);
  }
  try {
    return parseSlice(text);
  } catch (error) {
    throw problemOf(text, error);
  }
}

/** The same for a text that is long: others get a turn after each chunk of it. */
export async function parseLargeJson(text: string, pause: () => Promise<void>): Promise<unknown> {
  const parts = new PartCount(text);
  for (let end = COUNTED; !parts.advance(end); end += COUNTED) await pause();
  checkParts(parts);
  await pause();
  try {
    return await parseInChunks(text, { size: CHUNK, pause });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw problemOf(text, error);
  }
}

/** Refuses what is nested too deeply, or has too many parts to be worked on in a moment. */
function checkParts({ deepest, containers, entries }: PartCount): void {
  if (deepest > DEEPEST) throw new SyntaxError('exceeded max depth');
  if (containers > MOST_CONTAINERS) throw tooLarge(`${MOST_CONTAINERS} objects and lists`);
  if (entries > MOST_ENTRIES) throw tooLarge(`${MOST_ENTRIES} entries in objects and lists with more than ${LONG}`);
}

function problemOf(text: string, cause: unknown): SyntaxError {
  if (cause instanceof NumberTooLarge) return cause;
  return new SyntaxError(jsonProblem(text), { cause });
}

/** Parses a text, or a part of one that is a value by itself; throws a SyntaxError where it is none. */
export function parseSlice(text: string): unknown {
  return parseFiniteJson(/\\u[dD][89a-fA-F]/.test(text) ? text.replaceAll(ESCAPES, whole) : text);
}

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;

function whole(escape: string): string {
  return escape.length === '\\uXXXX'.length ? '\\ufffd' : escape;
}

/** Counts the parts of a text, as far as it has been looked at. */
class PartCount {
  readonly #text: string;
  /** Of each object and list that is open. */
  readonly #commas: number[] = [];
  #at = 0;
  /** The most brackets that are open at once. */
  deepest = 0;
  containers = 0;
  /** Of all objects and lists that are long. */
  entries = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Looks on until a place of the text; whether that was all of it. */
  advance(end: number): boolean {
    const text = this.#text;
    const commas = this.#commas;
    const last = Math.min(end, text.length);
    let i = this.#at;
    for (; i < last; i++) {
      switch (text.charCodeAt(i)) {
        case QUOTE:
          i = endOfString(text, i);
          break;
        case COMMA:
          commas[commas.length - 1]!++;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          this.containers++;
          if (commas.push(0) > this.deepest) this.deepest = commas.length;
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY: {
          const count = commas.pop() ?? 0;
          if (count >= LONG) this.entries += count + 1;
          break;
        }
        default:
      }
    }
    this.#at = i;
    return i >= text.length;
  }
}

/** Where the string that starts at `start` ends: at the next quote that no backslash precedes. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
