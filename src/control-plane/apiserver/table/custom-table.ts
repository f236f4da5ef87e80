import { goJson, goNumber } from '#platform/base/go-value';
import { type Cell, nameOf, since } from './cell.ts';
import { compileJsonPath } from './json-path.ts';
import type { Column, ResourceTable } from './resource-table.ts';

/** A printer column of a CRD. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

const NAME: Column = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };
const AGE: readonly PrinterColumn[] = [
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'When the object was created' },
];

/** Builds the table of a custom resource: its name, then the columns of its CRD, or its age if there are none. */
export function customTable(printerColumns: readonly PrinterColumn[] | undefined): ResourceTable {
  const columns: Column[] = [NAME];
  const readers: ((object: unknown, now: number) => Cell)[] = [];
  for (const column of printerColumns === undefined || printerColumns.length === 0 ? AGE : printerColumns) {
    const { name, type, jsonPath, format = '', priority = 0 } = column;
    let find: ReturnType<typeof compileJsonPath>;
    try {
      find = compileJsonPath(jsonPath);
    } catch {
      // Like the API server, it drops the columns after one with an invalid path.
      break;
    }
    const described = column.description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
    columns.push({ name, type, format, description: described, priority });
    readers.push((object, now) => {
      const found = find(object);
      return found === undefined || found.length === 0 ? null : cellOf(type, found[0], now);
    });
  }
  return {
    columns,
    cells(object, now) {
      const cells: Cell[] = [nameOf(object)];
      for (const read of readers) cells.push(read(object, now));
      return cells;
    },
  };
}

/** Converts a value to the type of its column, null if the value has another type. */
function cellOf(type: string, value: unknown, now: number): Cell {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? formatAge(value, now) : null;
    default:
      return null;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goNumber(value);
  if (value === null || value === undefined) return '<no value>';
  return typeof value === 'boolean' ? String(value) : goJson(value);
}

const RFC_3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]([01]\d|2[0-4]):[0-5]\d)$/;

function formatAge(value: string, now: number): string {
  if (value === '' || value === 'null') return '<unknown>';
  return RFC_3339.test(value) ? since(value.replace(',', '.'), now) : '<invalid>';
}
