import { type Command, Option } from 'commander';
import { formatManifest } from '../objects/format-manifest.ts';

export type CarbonFormat = 'table' | 'json' | 'yaml';

export function withOutputFlag(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'output format').choices(['table', 'json', 'yaml']).default('table'),
  );
}

/** Formats data as JSON or YAML, or else as a table. */
export function formatOutput(format: CarbonFormat, data: object, table: () => string): string {
  if (format === 'table') return table();
  return formatManifest(data, format);
}

/** Formats grams for people: 12.3 g, 4.56 kg. */
export function formatGrams(grams: number): string {
  return Math.abs(grams) >= 1000 ? `${(grams / 1000).toFixed(2)} kg` : `${grams.toFixed(1)} g`;
}

/** Rounds to one decimal, since an estimate is no more precise than that. */
export const tenths = (value: number): number => Math.round(value * 10) / 10;
