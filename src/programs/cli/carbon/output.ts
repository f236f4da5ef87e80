import { type Command, Option } from 'commander';
import { formatManifest } from '../objects/format-manifest.ts';

export type CarbonFormat = 'table' | 'json' | 'yaml';

export function withOutputFlag(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'yaml']).default('table'),
  );
}

/** Data as programs read it, or else as the table says it. */
export function textIn(format: CarbonFormat, data: object, table: () => string): string {
  if (format === 'table') return table();
  return formatManifest(data, format);
}

/** Grams as people read them: 12.3 g, 4.56 kg. */
export function formatGrams(grams: number): string {
  return Math.abs(grams) >= 1000 ? `${(grams / 1000).toFixed(2)} kg` : `${grams.toFixed(1)} g`;
}

/** One decimal is all that an estimate is good for. */
export const tenths = (value: number): number => Math.round(value * 10) / 10;
