import type { ComparedResult, Comparison } from './comparison.ts';

/** Formats a comparison as a table: the means of all methods, and the differences to the first one. */
export function formatComparison({ methods, seeds, confidence, interval, results }: Comparison): string {
  const rows = [
    ['FIGURE', 'METHOD', 'MEAN', 'DIFFERENCE', `${confidence * 100}% INTERVAL`, ''],
    ...results.map((result, at) => row(result, results[at - 1]?.figure)),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  const lines = rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const note = `${methods.length} methods on ${seeds.length} seeds; ${interval}.`;
  return `${lines.join('\n')}\n${note}\n`;
}

function row({ method, figure, mean, difference }: ComparedResult, before: string | undefined): string[] {
  const name = figure === before ? '' : figure;
  if (difference === undefined) return [name, method, formatNumber(mean), '', '', ''];
  const { mean: by, low, high, significant } = difference;
  const verdict = significant ? (by > 0 ? 'higher' : 'lower') : 'no difference shown';
  return [name, method, formatNumber(mean), formatSigned(by), `${formatSigned(low)} to ${formatSigned(high)}`, verdict];
}

const formatNumber = (value: number) => `${Number(value.toPrecision(5))}`;
const formatSigned = (value: number) => `${value > 0 ? '+' : ''}${formatNumber(value)}`;
