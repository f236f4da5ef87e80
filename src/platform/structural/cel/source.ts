/** Problem of an expression at an offset into its text. A negative offset refers to the text as a whole. */
export interface Issue {
  readonly offset: number;
  readonly message: string;
}

/** Thrown when parsing an expression cannot continue. It carries all issues found so far. */
export class SourceError extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues[0]?.message ?? '');
    this.issues = issues;
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Formats issues as the API server does: position, message, and the line with a mark under it, ordered by position. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const placed = issues.map(({ offset, message }) => ({ place: placeOf(source, offset), message }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  return placed.map(({ place, message }) => formatIssue(place, message)).join('\n');
}

function formatIssue({ line, column, text }: Place, message: string): string {
  if (line < 1) return `ERROR: <input>:-1:0: ${message}`;
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.replaceAll('\t', ' ')}\n | ${mark(text, column)}`;
}

/** Returns the position of an offset. Columns count code points, since that is what a reader sees. */
function placeOf(source: string, offset: number): Place {
  if (offset < 0) return { line: -1, column: 0, text: '' };
  const before = source.slice(0, offset).split('\n');
  const line = before.length;
  return { line, column: [...(before.at(-1) ?? '')].length, text: source.split('\n')[line - 1] ?? '' };
}

/** Draws dots up to the column and a caret. Wide ones are used under characters of more than one byte. */
function mark(text: string, column: number): string {
  const chars = [...text];
  const dots = chars.slice(0, column).map((char) => (isWide(char) ? '\uff0e' : '.'));
  const at = chars[column];
  return dots.join('').padEnd(column, '.') + (at !== undefined && isWide(at) ? '\uff3e' : '^');
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
