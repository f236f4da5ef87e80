import { jsonProblem } from '../../base/json-problem.ts';

/** Deeper than anything that is meant, and far less than what a stack can hold. */
const DEEPEST = 1_000;

/**
 * Reads JSON that somebody else wrote. Throws a SyntaxError in Go's words where it is none, or is nested too deeply to
 * be worked on; half a surrogate pair, which no UTF-8 can hold, becomes the sign for what cannot be shown, as in Go.
 */
export function parseJson(text: string): unknown {
  if (text.length > DEEPEST && depthOf(text) > DEEPEST) throw new SyntaxError('exceeded max depth');
  try {
    return JSON.parse(/\\u[dD][89a-fA-F]/.test(text) ? text.replaceAll(ESCAPES, whole) : text);
  } catch (error) {
    throw new SyntaxError(jsonProblem(text), { cause: error });
  }
}

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;

function whole(escape: string): string {
  return escape.length === '\\uXXXX'.length ? '\\ufffd' : escape;
}

/** The most brackets that are open at once. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (++depth > deepest) deepest = depth;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        break;
      default:
    }
  }
  return deepest;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;

/** Where the string that starts at `start` ends: at the next quote that no backslash precedes. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
