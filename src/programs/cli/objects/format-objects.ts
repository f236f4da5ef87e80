import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import { kindTable } from './kind-table.ts';
import { type Format, formatObjectList } from './output-format.ts';

interface Shown {
  readonly kind: Kind;
  readonly format: Format;
  readonly namespaces: boolean;
  readonly managedFields: boolean;
  readonly single: boolean;
  readonly now: number;
}

/** Formats objects of a kind in the requested output format. */
export function formatObjects(
  objects: readonly KubeObject[],
  { kind, format, single, managedFields, ...table }: Shown,
): string {
  if (format === 'table' || format === 'wide') return kindTable(objects, { kind, wide: format === 'wide', ...table });
  return formatObjectList(objects, format, { single, managedFields });
}
