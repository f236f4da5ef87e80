import { humanDuration } from '#platform/base/duration';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Column, Kind } from '#platform/schema/kind';
import { formatTable } from '../format-table.ts';

interface TableOf {
  readonly kind: Kind;
  readonly now: number;
  readonly wide: boolean;
  /** Shows the namespace before the name. */
  readonly namespaces: boolean;
}

/** Formats objects of a kind with the columns that kubectl shows for it. */
export function kindTable(objects: readonly KubeObject[], { kind, now, wide, namespaces }: TableOf): string {
  const columns = kind.columns.filter((column) => wide || column.wide !== true);
  const headings = ['NAME', ...columns.map(({ name }) => name.toUpperCase())];
  const rows = objects.map((object) => {
    const cells = [object.metadata.name ?? '', ...columns.map((column) => cellOf(object, column, now))];
    return namespaces ? [object.metadata.namespace ?? '', ...cells] : cells;
  });
  return formatTable(namespaces ? ['NAMESPACE', ...headings] : headings, rows);
}

function cellOf(object: KubeObject, { path, type }: Column, now: number): string {
  const value = valueAt(object, path);
  if (type === 'date') return typeof value === 'string' ? humanDuration(now - Date.parse(value)) : '<unknown>';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Returns the value at the path of a CRD's printer column: `.status.phase`, `.status.ipAddresses[0]`. */
function valueAt(object: unknown, path: string): unknown {
  return [...path.matchAll(/[^.[\]]+/g)].reduce<unknown>(
    (at, [key]) => (at as Readonly<Record<string, unknown>> | undefined | null)?.[key],
    object,
  );
}
