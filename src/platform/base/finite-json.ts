/** Error for a number that is too large for JavaScript, as it is for Go. */
export class NumberTooLarge extends SyntaxError {}

/**
 * Parses JSON and throws NumberTooLarge for a number that is too large. `JSON.parse` would turn it into Infinity, which
 * is then written as null.
 */
export function parseFiniteJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayBeTooLarge(text) || isFinite(value)) return value;
  throw new NumberTooLarge(`json: cannot unmarshal number ${tooLargeIn(text)}into Go value of type float64`);
}

const LARGE_EXPONENT = /\d[eE]\+?\d{3}/;
/** Fewer digits, together with an exponent of two digits, never form a number that is too large. */
const MANY_DIGITS = 200;

/** Reports whether a text may hold such a number, even within quotes, so that few texts need a second look. */
function mayBeTooLarge(text: string): boolean {
  if (LARGE_EXPONENT.test(text)) return true;
  // This many digits in a row always cover one of these positions.
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (at - start < MANY_DIGITS && isDigit(text, start - 1)) start--;
    let end = at;
    while (end - start < MANY_DIGITS && isDigit(text, end + 1)) end++;
    if (end - start + 1 >= MANY_DIGITS) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function isFinite(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'number' && !Number.isFinite(next)) return false;
    if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) open.push(item);
  }
  return true;
}

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Returns the first number of a text that is too large, as written there. */
function tooLargeIn(text: string): string {
  for (const [found] of text.matchAll(STRINGS_AND_NUMBERS)) {
    if (!found.startsWith('"') && !Number.isFinite(Number(found))) return `${found} `;
  }
  return '';
}
