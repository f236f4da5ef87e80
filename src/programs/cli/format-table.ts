/** Formats rows under headings as kubectl does, each column as wide as its widest cell. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => (row[at] ?? '').length)));
  return [headings, ...rows].map((row) => lineOf(row, widths)).join('');
}

/** Formats a single row for output that grows. Columns keep their initial widths. */
export function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const text = cells.map((cell, at) => cell.padEnd((widths[at] ?? 0) + 3)).join('');
  return `${text.trimEnd()}\n`;
}
