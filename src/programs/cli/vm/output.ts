import { type Command, Option } from 'commander';
import type { Vmi } from '#api/kubevirt/resources';
import type { VmSummary } from '#vm/view/vm-summary';
import { paintState, palette } from '../color.ts';
import { formatTable, type PaintCell } from '../format-table.ts';
import { FORMATS, type Format, formatObjectList } from '../objects/output-format.ts';
import { cellsOf, HEADINGS, summaryOf, WIDE_HEADINGS } from './summary.ts';
import type { CliVm } from './vm-kinds.ts';

/** Adds `-o` and its related flags. */
export function withFormatFlags(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORMATS).default('table'))
    .option('--show-managed-fields', 'include managedFields in json and yaml');
}

export interface OutputOptions {
  readonly machine: CliVm;
  readonly instance: Vmi | undefined;
}

export interface OutputFlags {
  readonly format: Format;
  /** Shows the namespace before the name. */
  readonly namespaces: boolean;
  /** Prints managedFields, which are long and seldom needed. */
  readonly managedFields: boolean;
  readonly now: number;
  /** Whether to color the states. */
  readonly colors?: boolean | undefined;
}

/** Formats VMs in the requested output format. A single VM is an object, several are a List. */
export function formatShown(
  shown: readonly OutputOptions[],
  showing: OutputFlags,
  { single }: { readonly single: boolean },
): string {
  const { format, managedFields } = showing;
  if (format === 'name' || format === 'json' || format === 'yaml') {
    const machines = shown.map(({ machine }) => machine);
    return formatObjectList(machines, format, { single, managedFields });
  }
  const rows = shown.map(({ machine, instance }) => rowOf(summaryOf(machine, instance), showing));
  return formatTable(headingsOf(showing), rows, paintOf(showing));
}

export function headingsOf({ format, namespaces }: Pick<OutputFlags, 'format' | 'namespaces'>): string[] {
  const headings = format === 'wide' ? WIDE_HEADINGS : HEADINGS;
  return namespaces ? ['NAMESPACE', ...headings] : headings;
}

/** Returns how to color the cells of a row. */
export function paintOf(showing: Pick<OutputFlags, 'format' | 'namespaces' | 'colors'>): PaintCell {
  const colors = palette(showing.colors === true);
  const state = headingsOf(showing).indexOf('STATUS');
  return (cell, column) => (column === state ? paintState(cell, colors) : cell);
}

export function rowOf(summary: VmSummary, { format, namespaces, now }: Omit<OutputFlags, 'managedFields'>): string[] {
  const cells = cellsOf(summary, now, { wide: format === 'wide' });
  return namespaces ? [summary.namespace, ...cells] : cells;
}
