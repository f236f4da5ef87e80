import { endOfString } from './json-text.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
/** Nobody reads more of them. */
const MOST = 100;

interface Level {
  /** Undefined inside an array. */
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

/**
 * Finds keys that stand twice in an object, which JSON.parse passes over in silence. The text is valid JSON. Answers
 * each path once, as the API server prints them. `seen` hears the path of every key, in the order of the text.
 */
export function duplicateFields(text: string, seen?: (path: string) => void): string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  let expectsKey = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfString(text, i);
        const level = levels.at(-1);
        if (expectsKey && level?.keys !== undefined) {
          const raw = text.slice(i + 1, end);
          level.key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
          if (level.keys.has(level.key) && found.size < MOST) found.add(pathOf(levels));
          level.keys.add(level.key);
          seen?.(pathOf(levels));
        }
        expectsKey = false;
        i = end;
        break;
      }
      case OPEN_OBJECT:
        levels.push({ keys: new Set(), key: '', index: -1 });
        expectsKey = true;
        break;
      case OPEN_ARRAY:
        levels.push({ keys: undefined, key: '', index: 0 });
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        levels.pop();
        expectsKey = false;
        break;
      case COMMA: {
        const level = levels.at(-1);
        if (level === undefined) break;
        expectsKey = level.keys !== undefined;
        level.index++;
        break;
      }
      case COLON:
        expectsKey = false;
        break;
      default:
    }
  }
  return [...found];
}

function pathOf(levels: readonly Level[]): string {
  let path = '';
  for (const { keys, key, index } of levels) {
    if (keys === undefined) path += `[${index}]`;
    else path += path === '' ? key : `.${key}`;
  }
  return path;
}
