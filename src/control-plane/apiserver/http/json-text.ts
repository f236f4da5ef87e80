import { NumberTooLarge, parseFiniteJson } from '#platform/base/finite-json';
import { jsonProblem } from '#platform/base/json-problem';
import { tooLarge } from '../api-error.ts';
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';
import { parseInChunks } from './large-json.ts';

/** Maximum nesting depth: deeper than any legitimate object, and far less than the stack can hold. */
const MAX_DEPTH = 1_000;
/**
 * Maximum number of objects and lists: more than any legitimate object has, and few enough that no stage of a write
 * delays others for too long. kube-apiserver works on such a body until its deadline.
 */
const MAX_CONTAINERS = 100_000;
const MAX_ENTRIES = 50_000;
const LONG = 1_000;
/** Size of text that is scanned without a pause. */
export const SCANNED = 512 * 1024;
/** Size of text that is parsed without a pause, which takes a few milliseconds. */
const CHUNK = 128 * 1024;
/** Size of text whose elements are counted without a pause. */
const COUNTED = 256 * 1024;

/**
 * Parses untrusted JSON. Throws a SyntaxError in Go's wording if it is invalid or nested too deeply; a lone surrogate,
 * which UTF-8 cannot hold, becomes the replacement character, as in Go.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_DEPTH) {
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

/** Does the same for a long text: others run after each chunk of it. */
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

/** Rejects text that is nested too deeply or has too many elements to be processed quickly. */
function checkParts({ deepest, containers, entries }: PartCount): void {
  if (deepest > MAX_DEPTH) throw new SyntaxError('exceeded max depth');
  if (containers > MAX_CONTAINERS) throw tooLarge(`${MAX_CONTAINERS} objects and lists`);
  if (entries > MAX_ENTRIES) throw tooLarge(`${MAX_ENTRIES} entries in objects and lists with more than ${LONG}`);
}

function problemOf(text: string, cause: unknown): SyntaxError {
  if (cause instanceof NumberTooLarge) return cause;
  return new SyntaxError(jsonProblem(text), { cause });
}

/** Parses a text, or a part of one that is a value by itself. Throws a SyntaxError if it is invalid. */
export function parseSlice(text: string): unknown {
  return parseFiniteJson(/\\u[dD][89a-fA-F]/.test(text) ? text.replaceAll(ESCAPES, whole) : text);
}

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;

function whole(escape: string): string {
  return escape.length === '\\uXXXX'.length ? '\\ufffd' : escape;
}

/** Counts the elements of the text scanned so far. */
class PartCount {
  readonly #text: string;
  /** Commas in each open object and list. */
  readonly #commas: number[] = [];
  #at = 0;
  /** Maximum number of brackets open at once. */
  deepest = 0;
  containers = 0;
  /** Entries of all objects and lists that are long. */
  entries = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Scans up to a position of the text. Reports whether that was all of it. */
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

/** Returns the end of the string that starts at `start`: the next quote that no backslash precedes. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
