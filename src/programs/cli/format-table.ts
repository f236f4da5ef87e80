/** Rows under headings, each column as wide as its widest cell, as kubectl prints them. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => (row[at] ?? '').length)));
  return [headings, ...rows].map((row) => lineOf(row, widths)).join('');
}

/** One row on its own, for output that grows: columns keep the widths that were seen first. */
export function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const text = cells.map((cell, at) => cell.padEnd((widths[at] ?? 0) + 3)).join('');
  return `${text.trimEnd()}\n`;
}
