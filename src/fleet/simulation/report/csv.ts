/** Row of a series. Every row of a file has the same columns. */
export type Row = Readonly<Record<string, string | number | boolean>>;

/** Formats a line of comma-separated values according to RFC 4180. */
export function csvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.map((cell) => quoteCell(String(cell))).join(',')}\n`;
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
