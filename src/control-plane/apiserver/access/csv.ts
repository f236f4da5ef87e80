/** Holds one non-empty line; it has no fields if a quote is not closed. */
export interface CsvLine {
  /** Line number of its start, from 1. */
  readonly line: number;
  readonly fields: readonly string[] | undefined;
}

const FIELD = /[^\S\n]*(?:"((?:[^"]|"")*)"[^\S\n]*|([^",\r\n][^,\r\n]*)?)(,|\r?\n|$)/y;

/**
 * Parses comma-separated values. A quoted field may contain commas, line breaks and, doubled, quotes; empty lines are
 * skipped.
 */
export function parseCsv(text: string): CsvLine[] {
  const lines: CsvLine[] = [];
  let fields: string[] = [];
  let start = 0;
  FIELD.lastIndex = 0;
  for (;;) {
    const at = FIELD.lastIndex;
    if (fields.length === 0) start = at;
    const line = text.slice(0, start).split('\n').length;
    const match = FIELD.exec(text);
    if (!match) return [...lines, { line, fields: undefined }];
    const [whole, quoted, plain = '', end] = match;
    fields.push(quoted === undefined ? plain.trimEnd() : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (fields.length > 1 || fields[0] !== '') lines.push({ line, fields });
    fields = [];
    if (end === '' || at + whole.length >= text.length) return lines;
  }
}
