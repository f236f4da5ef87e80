/** Escape sequences that Go uses for characters within quotes of any kind. */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};
const ESCAPES: Readonly<Record<string, string>> = { ...GO_ESCAPES, '"': '\\"' };

const MIN_SCIENTIFIC_EXPONENT = 6;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Quotes text as Go's %q does: JSON escapes differ for control and for invisible characters. */
export function goQuote(text: string): string {
  let out = '"';
  for (const char of text.toWellFormed()) {
    const escape = ESCAPES[char];
    if (escape !== undefined) out += escape;
    else if (PRINTABLE.test(char)) out += char;
    else out += escapeCode(char.codePointAt(0) ?? 0);
  }
  return `${out}"`;
}

function escapeCode(code: number): string {
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x1_00_00) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Prints a number as Go's %v does: whole numbers are int64 to the API server, all others float64. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  // Go chooses the exponent as if six digits had been requested, no matter how many it then prints.
  if (power >= -4 && power < MIN_SCIENTIFIC_EXPONENT) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Prints any JSON value as Go's encoding/json does: keys sorted, and characters that HTML could misread escaped. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || 'toJSON' in value)
    return escapeHtml(JSON.stringify(value) ?? 'null');
  // Entries are formatted here because a JavaScript object orders keys that look like numbers in its own way.
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, item]) => `${escapeHtml(JSON.stringify(key))}:${goJson(item)}`).join(',')}}`;
}

function escapeHtml(json: string): string {
  return json.replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
