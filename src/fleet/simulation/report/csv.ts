/** A row for programs: every row of a file has the same columns. */
export type Row = Readonly<Record<string, string | number | boolean>>;

/** One line of a file of comma-separated values, as RFC 4180 has it. */
export function csvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.map((cell) => quoteCell(String(cell))).join(',')}\n`;
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
