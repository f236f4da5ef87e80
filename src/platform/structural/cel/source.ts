/** Something wrong with an expression, at an offset into its text; below zero it is about the text as a whole. */
export interface Issue {
  readonly offset: number;
  readonly message: string;
}

/** Thrown where reading an expression cannot go on; carries all that was found up to there. */
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

/** Prints issues as the API server does: place, message, and the line with a mark under it, first place first. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const placed = issues.map(({ offset, message }) => ({ place: placeOf(source, offset), message }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  return placed.map(({ place, message }) => formatIssue(place, message)).join('\n');
}

function formatIssue({ line, column, text }: Place, message: string): string {
  if (line < 1) return `ERROR: <input>:-1:0: ${message}`;
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.replaceAll('\t', ' ')}\n | ${mark(text, column)}`;
}

/** Columns count code points, since that is what a reader sees. */
function placeOf(source: string, offset: number): Place {
  if (offset < 0) return { line: -1, column: 0, text: '' };
  const before = source.slice(0, offset).split('\n');
  const line = before.length;
  return { line, column: [...(before.at(-1) ?? '')].length, text: source.split('\n')[line - 1] ?? '' };
}

/** Dots up to the column and a caret; wide ones stand under characters of more than one byte. */
function mark(text: string, column: number): string {
  const chars = [...text];
  const dots = chars.slice(0, column).map((char) => (isWide(char) ? '\uff0e' : '.'));
  const at = chars[column];
  return dots.join('').padEnd(column, '.') + (at !== undefined && isWide(at) ? '\uff3e' : '^');
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
