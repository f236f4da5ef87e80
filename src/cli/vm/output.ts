import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import type { Vmi } from '../../kube/kinds/machines.ts';
import { tableText } from '../table-text.ts';
import type { Machine } from './machine-kinds.ts';
import { cellsOf, HEADINGS, type Summary, summaryOf, WIDE_HEADINGS } from './summary.ts';

export const FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Format = (typeof FORMATS)[number];

/** `-o` and what belongs to it. */
export function withFormatFlags(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'how to print').choices(FORMATS).default('table'))
    .option('--show-managed-fields', 'show who set which field, in json and yaml');
}

export interface Shown {
  readonly machine: Machine;
  readonly instance: Vmi | undefined;
}

export interface Showing {
  readonly format: Format;
  /** The namespace before the name, for machines of several. */
  readonly namespaces: boolean;
  /** Who set which field is long and seldom wanted. */
  readonly managedFields: boolean;
  readonly now: number;
}

/** Machines in the form that was asked for; one machine alone is an object, several are a List. */
export function shownText(shown: readonly Shown[], showing: Showing, { single }: { readonly single: boolean }): string {
  const { format } = showing;
  if (format === 'name') return shown.map(({ machine }) => `${resourceName(machine)}\n`).join('');
  if (format === 'json' || format === 'yaml') {
    const objects = shown.map(({ machine }) => (showing.managedFields ? machine : withoutManagedFields(machine)));
    const whole = single ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects };
    return format === 'json'
      ? `${JSON.stringify(whole, undefined, 2)}\n`
      : stringify(whole, { lineWidth: 0, aliasDuplicateObjects: false });
  }
  const rows = shown.map(({ machine, instance }) => rowOf(summaryOf(machine, instance), showing));
  return tableText(headingsOf(showing), rows);
}

function withoutManagedFields(machine: Machine): Machine {
  const { managedFields: _, ...metadata } = machine.metadata;
  return { ...machine, metadata };
}

export function headingsOf({ format, namespaces }: Pick<Showing, 'format' | 'namespaces'>): string[] {
  const headings = format === 'wide' ? WIDE_HEADINGS : HEADINGS;
  return namespaces ? ['NAMESPACE', ...headings] : headings;
}

export function rowOf(summary: Summary, { format, namespaces, now }: Omit<Showing, 'managedFields'>): string[] {
  const cells = cellsOf(summary, now, { wide: format === 'wide' });
  return namespaces ? [summary.namespace, ...cells] : cells;
}

/** As kubectl names objects: `virtualmachine.kubevirt.io/web`. */
export function resourceName({ apiVersion, kind, metadata }: Machine): string {
  return `${kind.toLowerCase()}.${apiVersion.split('/')[0] ?? ''}/${metadata.name ?? ''}`;
}
