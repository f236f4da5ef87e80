import { ParseError } from '#platform/base/errors';
import { formatFieldError, invalid } from '#platform/base/field-error';
import type { Cell, Listed } from './cell.ts';
import type { Column, ResourceTable } from './resource-table.ts';

/** Response to a client that requests `as=Table`, as kubectl does to print. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly Column[] | null;
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly object[];
  readonly object: unknown;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Part of each object that its row includes. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  /** Time in milliseconds relative to which ages are computed. */
  readonly now: number;
  readonly includeObject?: IncludeObject;
  /** False in all events of a watch but the first, since the columns need not be repeated. */
  readonly headers?: boolean;
  /** Version of the group meta.k8s.io that the client requested. */
  readonly version?: string;
}

/** Parses the parameter `includeObject`. Throws a ParseError with the message of the API server. */
export function parseIncludeObject(text: string | null | undefined): IncludeObject {
  if (text === null || text === undefined || text === '') return 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  const cause = invalid('includeObject', text, "must be 'Metadata', 'Object', 'None', or empty");
  throw new ParseError(`Unable to convert to Table as requested: ${formatFieldError(cause)}`);
}

/** Builds the table of a list. */
export function listTable(
  table: ResourceTable,
  items: readonly Listed[],
  metadata: ListMeta,
  options: TableOptions,
): Table {
  const ordered = table.compare === undefined ? items : items.toSorted((a, b) => table.compare?.(a, b) ?? 0);
  const { version = 'v1', headers = true } = options;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: headers ? table.columns : null,
    rows: ordered.map((object) => rowOf(table, object, options)),
  };
}

/** Builds the table of one object, which has one row. */
export function objectTable(table: ResourceTable, object: Listed, options: TableOptions): Table {
  const { resourceVersion } = (object.metadata ?? {}) as { readonly resourceVersion?: string };
  return listTable(table, [object], resourceVersion === undefined ? {} : { resourceVersion }, options);
}

function rowOf(table: ResourceTable, object: Listed, options: TableOptions): TableRow {
  const cells = table.cells(object, options.now);
  const conditions = table.conditions?.(object);
  const carried = objectOf(object, options);
  return conditions === undefined ? { cells, object: carried } : { cells, conditions, object: carried };
}

function objectOf(object: Listed, { includeObject = 'Metadata', version }: TableOptions): unknown {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Metadata':
      return partialObject(object, version);
    case 'Object':
      return object;
  }
}

/** Returns an object with only its metadata. */
export function partialObject(object: Listed, version = 'v1'): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata ?? {} };
}
