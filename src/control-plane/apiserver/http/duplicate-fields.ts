import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-characters.ts';
import { endOfString } from './json-text.ts';

/** Maximum number of duplicates to report. */
const MAX_DUPLICATES = 100;

interface Level {
  /** Keys of the open object. Undefined inside an array. */
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

/**
 * Finds duplicate keys in an object, which JSON.parse ignores; the text must be valid JSON. Returns each path once, as
 * the API server prints it. `seen` is called with the path of every key, in the order of the text.
 */
export function duplicateFields(text: string, seen?: (path: string) => void): string[] {
  const scan = new DuplicateScan(text, seen);
  scan.advance(text.length);
  return scan.found;
}

/** Does the same for a long text: others run after each chunk of it. */
export async function duplicateFieldsInChunks(text: string, pause: () => Promise<void>): Promise<string[]> {
  const scan = new DuplicateScan(text);
  for (let end = CHUNK; !scan.advance(end); end += CHUNK) await pause();
  return scan.found;
}

/** Size of text that is scanned without a pause, which takes a few milliseconds. */
const CHUNK = 128 * 1024;

class DuplicateScan {
  readonly #text: string;
  readonly #seen: ((path: string) => void) | undefined;
  readonly #found = new Set<string>();
  readonly #levels: Level[] = [];
  #at = 0;
  #expectsKey = false;

  constructor(text: string, seen?: (path: string) => void) {
    this.#text = text;
    this.#seen = seen;
  }

  get found(): string[] {
    return [...this.#found];
  }

  /** Scans up to a position of the text. Reports whether that was all of it. */
  advance(end: number): boolean {
    const text = this.#text;
    const levels = this.#levels;
    let i = this.#at;
    for (; i < text.length && i < end; i++) {
      switch (text.charCodeAt(i)) {
        case QUOTE:
          i = this.#string(i);
          break;
        case OPEN_OBJECT:
          levels.push({ keys: new Set(), key: '', index: -1 });
          this.#expectsKey = true;
          break;
        case OPEN_ARRAY:
          levels.push({ keys: undefined, key: '', index: 0 });
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          levels.pop();
          this.#expectsKey = false;
          break;
        case COMMA: {
          const level = levels.at(-1);
          if (level === undefined) break;
          this.#expectsKey = level.keys !== undefined;
          level.index++;
          break;
        }
        case COLON:
          this.#expectsKey = false;
          break;
        default:
      }
    }
    this.#at = i;
    return i >= text.length;
  }

  /** Returns the end of a string, which may be a key. */
  #string(start: number): number {
    const text = this.#text;
    const levels = this.#levels;
    const end = endOfString(text, start);
    const level = levels.at(-1);
    if (this.#expectsKey && level?.keys !== undefined) {
      const raw = text.slice(start + 1, end);
      level.key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
      const known = level.keys.size;
      level.keys.add(level.key);
      if (level.keys.size === known && this.#found.size < MAX_DUPLICATES) this.#found.add(pathOf(levels));
      this.#seen?.(pathOf(levels));
    }
    this.#expectsKey = false;
    return end;
  }
}

function pathOf(levels: readonly Level[]): string {
  let path = '';
  for (const { keys, key, index } of levels) {
    if (keys === undefined) path += `[${index}]`;
    else path += path === '' ? key : `.${key}`;
  }
  return path;
}
