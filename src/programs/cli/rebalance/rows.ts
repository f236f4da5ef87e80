import { Option } from 'commander';
import { formatTable } from '../format-table.ts';

export const ROW_FORMATS = ['table', 'csv', 'json'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** Printed row, by column name. Every row has the same columns. */
export type Row = Readonly<Record<string, string | number>>;

export const outputOption = (formats: readonly string[] = ROW_FORMATS) =>
  new Option('-o, --output <format>', 'output format').choices(formats).default('table');

/** Formats rows for people or for programs. Programs get numbers with all their digits. */
export function formatRows(rows: readonly Row[], columns: readonly string[], format: RowFormat): string {
  if (format === 'json') return `${JSON.stringify(rows, undefined, 2)}\n`;
  if (format === 'csv') {
    const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
    return lines.map((cells) => `${cells.map(quoteCell).join(',')}\n`).join('');
  }
  const headings = columns.map((column) => column.toUpperCase().replaceAll('_', '-'));
  return formatTable(
    headings,
    rows.map((row) => columns.map((column) => formatCell(row[column] ?? ''))),
  );
}

function formatCell(value: string | number): string {
  return typeof value === 'string' || Number.isInteger(value) ? String(value) : value.toFixed(4);
}

/** Quotes a cell as RFC 4180 specifies. */
function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
