import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { crdOf } from '#platform/schema/crd';
import type { JsonSchema } from '#platform/schema/json-schema';
import { KINDS } from './kinds.ts';

interface Node {
  readonly path: string;
  readonly schema: JsonSchema;
}

/** Yields every nested schema with its path. */
function* nodes(schema: JsonSchema, path: string): Generator<Node> {
  yield { path, schema };
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* nodes(field, `${path}.${name}`);
  if (schema.items !== undefined) yield* nodes(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') yield* nodes(schema.additionalProperties, `${path}{}`);
}

describe.each(KINDS.map((kind) => [`${kind.kind}.${kind.group}`, kind] as const))('%s', (_name, kind) => {
  const all = [...nodes(kind.schema, '')];
  const fields = all.filter(({ path }) => path !== '.metadata' && !/[\]}]$/.test(path));

  it('has the versions of its CustomResourceDefinition in deploy/crds', () => {
    const text = readFileSync(`deploy/crds/${kind.group}_${kind.plural}.yaml`, 'utf8');
    const deployed = parse(text, { version: '1.1' }) as ReturnType<typeof crdOf>;
    expect(crdOf(kind).spec.versions).toEqual(deployed.spec.versions);
  });

  it('describes every field', () => {
    const silent = fields.filter(({ schema }) => (schema.description ?? '').length < 3);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('gives every field a type', () => {
    const untyped = all.filter(
      ({ schema }) => schema.type === undefined && schema['x-kubernetes-int-or-string'] !== true,
    );
    expect(untyped.map(({ path }) => path)).toEqual([]);
  });

  it('lists only existing fields as required or as list keys', () => {
    for (const { path, schema } of all) {
      for (const name of schema.required ?? []) {
        expect(Object.keys(schema.properties ?? {}), `${path} requires ${name}`).toContain(name);
      }
      for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
        const item = schema.items ?? {};
        const known = item.required?.includes(key) === true || item.properties?.[key]?.default !== undefined;
        expect(known, `${path} is keyed by ${key}, which must be required or have a default`).toBe(true);
      }
    }
  });

  it('fits into the annotation that kubectl apply writes', () => {
    expect(JSON.stringify(kind.schema).length).toBeLessThan(200 * 1024);
  });

  it('has a column for the age', () => {
    expect(kind.columns).toContainEqual(expect.objectContaining({ name: 'Age', type: 'date' }));
  });
});

it('no two kinds share a name within a group', () => {
  const names = KINDS.map(({ group, plural }) => `${plural}.${group}`);
  expect(new Set(names).size).toBe(names.length);
});
