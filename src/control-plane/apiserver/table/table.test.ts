import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInTable, builtInTables } from './built-in-table.ts';
import type { Listed } from './cell.ts';
import { customTable } from './custom-table.ts';
// Cells that Kubernetes 1.36 prints for objects of every kind, reduced to the fields that they depend on.
import answers from './rows.data.json' with { type: 'json' };
import { listTable, objectTable, parseIncludeObject } from './table.ts';

interface BuiltInAnswer {
  readonly resource: string;
  readonly now: number;
  readonly object: Listed;
  readonly cells: unknown[];
  readonly conditions?: unknown[];
}

const tableOf = (resource: string) => {
  const table = builtInTable(resource);
  if (table === undefined) throw new Error(`no table for ${resource}`);
  return table;
};

describe('the table of a built-in resource', () => {
  it.each(answers.builtIn as unknown as BuiltInAnswer[])(
    'prints $resource as $cells',
    ({ resource, now, object, cells, conditions }) => {
      expect(tableOf(resource).cells(object, now)).toEqual(cells);
      expect(tableOf(resource).conditions?.(object)).toEqual(conditions);
    },
  );

  it.each(builtInTables)('is tested against recorded output for %s', (resource) => {
    expect(answers.builtIn.some((response) => response.resource === resource)).toBe(true);
  });

  it.each(builtInTables)('has a cell for every column of %s, even when the object is nearly empty', (resource) => {
    const table = tableOf(resource);
    const extra = resource.endsWith('/ipaddresses') ? 1 : 0;
    expect(table.cells({ metadata: {} }, 0)).toHaveLength(table.columns.length + extra);
    expect(table.cells({}, 0)).toHaveLength(table.columns.length + extra);
  });

  it('does not exist for an unknown resource', () => {
    expect(builtInTable('v1/machines')).toBeUndefined();
    expect(builtInTable('constructor')).toBeUndefined();
  });

  it('lists flow schemas by precedence', () => {
    const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } });
    const items = [schema('a', 900), schema('c', 5), schema('b', 5)];
    const { rows } = listTable(tableOf('flowcontrol.apiserver.k8s.io/v1/flowschemas'), items, {}, { now: 0 });
    expect(rows.map((row) => row.cells[0])).toEqual(['b', 'c', 'a']);
  });
});

describe('the table of a custom resource', () => {
  it.each(answers.custom)('prints $columns as $cells', ({ columns, object, cells, now }) => {
    expect(customTable(columns).cells(object, now)).toEqual(cells);
  });

  it('shows name and age if its CRD has no columns', () => {
    const table = customTable(undefined);
    expect(table.columns.map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
    const object = { metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } };
    expect(table.cells(object, Date.parse('2026-01-01T00:05:00Z'))).toEqual(['a', '5m']);
  });

  it('keeps description, format and priority, and otherwise describes a column by its path', () => {
    const described = { name: 'A', type: 'string', jsonPath: '.a', description: 'the a', priority: 1, format: 'name' };
    const { columns } = customTable([described, { name: 'B', type: 'string', jsonPath: '.b' }]);
    expect(columns.slice(1)).toEqual([
      { name: 'A', type: 'string', format: 'name', description: 'the a', priority: 1 },
      {
        name: 'B',
        type: 'string',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .b',
        priority: 0,
      },
    ]);
  });

  it('prints a value or nothing for any object and any path', () => {
    const path = fc
      .array(
        fc.constantFrom(
          '.a',
          '.b',
          '[0]',
          '[-1]',
          '[*]',
          '[?(@.a=="x")]',
          '[?(@.b)]',
          '..',
          '.*',
          "['a']",
          '[1:]',
          '(',
          '"',
        ),
      )
      .map((parts) => parts.join(''));
    const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'date');
    const leaf = fc.oneof(fc.constant('x'), fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true }));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] }),
      ),
    }));
    fc.assert(
      fc.property(path, type, value, (jsonPath, kind, a) => {
        const table = customTable([{ name: 'C', type: kind, jsonPath }]);
        const cells = table.cells({ metadata: { name: 'n' }, a } as Listed, 0);
        expect(cells).toHaveLength(table.columns.length);
        for (const cell of cells)
          expect(cell === null || ['string', 'number', 'boolean'].includes(typeof cell)).toBe(true);
      }),
    );
  });
});

describe('a table', () => {
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'default', resourceVersion: '8', creationTimestamp: '2026-11-15T11:34:36Z' },
    status: { phase: 'Active' },
  };
  const now = Date.parse('2026-11-15T11:50:36Z');
  const table = tableOf('v1/namespaces');
  const cells = ['default', 'Active', '16m'];
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: namespace.metadata };

  it('of one object has its revision and one row', () => {
    expect(objectTable(table, namespace, { now, includeObject: 'None' })).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '8' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Status', type: 'string', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', description: '', priority: 0 },
      ],
      rows: [{ cells, object: null }],
    });
  });

  it('of a list carries the metadata of the list and of each object', () => {
    const metadata = { resourceVersion: '9', continue: 'abc', remainingItemCount: 3 };
    const response = listTable(table, [namespace], metadata, { now, headers: false, version: 'v1beta1' });
    expect(response.metadata).toEqual(metadata);
    expect(response.columnDefinitions).toBeNull();
    expect(response.rows).toEqual([{ cells, object: { ...partial, apiVersion: 'meta.k8s.io/v1beta1' } }]);
  });

  it('contains whole objects if requested', () => {
    expect(objectTable(table, namespace, { now, includeObject: 'Object' }).rows[0]?.object).toBe(namespace);
  });

  it('includes metadata, objects or nothing', () => {
    expect(['', undefined, null, 'None', 'Object', 'Metadata'].map(parseIncludeObject)).toEqual([
      'Metadata',
      'Metadata',
      'Metadata',
      'None',
      'Object',
      'Metadata',
    ]);
    expect(() => parseIncludeObject('Foo')).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});
