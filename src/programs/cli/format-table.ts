/** Colors a cell of a column, without changing its width. */
export type PaintCell = (cell: string, column: number) => string;

/** Formats rows under headings as kubectl does, each column as wide as its widest cell. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  paint?: PaintCell,
): string {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => (row[at] ?? '').length)));
  return [lineOf(headings, widths), ...rows.map((row) => lineOf(row, widths, paint))].join('');
}

/** Formats a single row for output that grows. Columns keep their initial widths. */
export function lineOf(cells: readonly string[], widths: readonly number[], paint: PaintCell = (cell) => cell): string {
  const space = (cell: string, at: number) => ' '.repeat(Math.max(0, (widths[at] ?? 0) + 3 - cell.length));
  const text = cells.map((cell, at) => `${paint(cell, at)}${space(cell, at)}`).join('');
  return `${text.trimEnd()}\n`;
}
