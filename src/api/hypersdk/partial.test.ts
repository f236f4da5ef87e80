import { expect, test } from 'vitest';
import type { JsonSchema } from '#platform/schema/json-schema';
import { partial } from './partial.ts';
import { virtualMachineSpec } from './virtual-machine-spec.ts';

const loose = partial('Some of it.', virtualMachineSpec);

/** Yields every nested schema with its path, and whether it is the item of a list with these keys. */
function* parts(
  schema: JsonSchema,
  path = '',
  keys: readonly string[] = [],
): Generator<[string, JsonSchema, readonly string[]]> {
  yield [path, schema, keys];
  for (const [name, field] of Object.entries(schema.properties ?? {})) yield* parts(field, `${path}.${name}`);
  if (schema.items !== undefined) yield* parts(schema.items, `${path}[]`, schema['x-kubernetes-list-map-keys']);
  if (typeof schema.additionalProperties === 'object') yield* parts(schema.additionalProperties, `${path}{}`);
}

test('a partial schema has the same fields, with the same types and descriptions', () => {
  const shape = (schema: JsonSchema) =>
    [...parts(schema)].map(([path, { type, description, pattern, enum: values }]) => ({
      path,
      type,
      pattern,
      values,
      description: path === '' ? 'The description of the whole is its own.' : description,
    }));
  expect(shape(loose.json)).toEqual(shape(virtualMachineSpec.json));
  expect(shape(loose.json).length).toBeGreaterThan(100);
});

test('a partial schema requires only the keys of its lists, and has no defaults', () => {
  const isAtomic = (path: string) => path.startsWith('.affinity.') || path.startsWith('.networks[].ports[]');
  const merged = [...parts(loose.json)].filter(([path]) => !isAtomic(path));
  for (const [path, { required = [], default: value }, keys] of merged) {
    expect([path, required, value]).toEqual([path, keys, undefined]);
  }
});

test('atomic objects stay complete in a partial schema', () => {
  expect(loose.json.properties?.['affinity']).toEqual(virtualMachineSpec.json.properties?.['affinity']);
  expect([...parts(loose.json)].some(([path, { required }]) => path.startsWith('.affinity.') && required)).toBe(true);
});

test('a partial schema keeps its rules, except transition rules', () => {
  const rules = (schema: JsonSchema) =>
    [...parts(schema)].flatMap(([, part]) => part['x-kubernetes-validations'] ?? []).map(({ rule }) => rule);
  const all = rules(virtualMachineSpec.json);
  expect(all.some((rule) => rule.includes('oldSelf'))).toBe(true);
  expect(rules(loose.json)).toEqual(all.filter((rule) => !rule.includes('oldSelf')));
});

test('the original schema is unchanged', () => {
  expect(virtualMachineSpec.json.required).toEqual(['cpus', 'memory']);
});
