import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Resource } from '../resource.ts';
import type { Component } from './component.ts';
import { customComponents, customDefinitions } from './custom-component.ts';

const resource = {
  group: 'odd.example.com',
  version: 'v1',
  kind: 'Oddity',
  listKind: 'OddityList',
  plural: 'oddities',
} as Resource;

const NAME = 'com.example.odd.v1.Oddity';
const identity = { apiVersion: expect.anything(), kind: expect.anything(), metadata: expect.anything() };

function published(field: JsonSchema): { v3: Component | undefined; v2: Component | undefined } {
  const custom = { schema: { type: 'object', properties: { field } } as const, selectableFields: [] };
  return {
    v3: customComponents(resource, custom)[NAME]?.properties?.['field'],
    v2: customDefinitions(resource, custom)[NAME]?.properties?.['field'],
  };
}

const same = (field: JsonSchema): [JsonSchema, JsonSchema, JsonSchema] => [field, field, field];

describe('a field of a custom resource', () => {
  const a: JsonSchema = { type: 'string' };
  it.each<[string, JsonSchema, object, object]>([
    ['of a primitive type', ...same({ type: 'integer', format: 'int32', minimum: 1, description: 'A number.' })],
    ['with an enum', ...same({ type: 'string', enum: ['x', 'y'] })],
    ['with a default', { type: 'string', default: 'x' }, { type: 'string', default: 'x' }, { type: 'string' }],
    ['that is nullable', { type: 'string', nullable: true }, { type: 'string', nullable: true }, {}],
    [
      'that is a nullable object',
      { type: 'object', nullable: true, required: ['a'], properties: { a } },
      { type: 'object', nullable: true, required: ['a'], properties: { a } },
      { required: ['a'] },
    ],
    [
      'that requires a nullable field',
      { type: 'object', required: ['a', 'b'], properties: { a: { ...a, nullable: true }, b: a } },
      { type: 'object', required: ['a', 'b'], properties: { a: { ...a, nullable: true }, b: a } },
      { type: 'object', required: ['b'], properties: { a: {}, b: a } },
    ],
    [
      'that is an integer or a string',
      { 'x-kubernetes-int-or-string': true },
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'that is an integer or a string, with its own anyOf',
      { 'x-kubernetes-int-or-string': true, allOf: [{ pattern: '^a' }] },
      { 'x-kubernetes-int-or-string': true, allOf: [{ pattern: '^a' }] },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'with oneOf',
      { type: 'object', oneOf: [{ required: ['a'] }, { not: { required: ['a'] } }], properties: { a } },
      { type: 'object', oneOf: [{ required: ['a'] }, { not: { required: ['a'] } }], properties: { a } },
      { type: 'object', properties: { a } },
    ],
    [
      'that preserves unknown fields',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a } },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a } },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'that is a map of nullable values',
      { type: 'object', additionalProperties: { ...a, nullable: true } },
      { type: 'object', additionalProperties: { ...a, nullable: true } },
      { type: 'object', additionalProperties: {} },
    ],
    ['with CEL rules', ...same({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""' }] })],
    [
      'that is a list with map keys',
      ...same({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', required: ['a'], properties: { a } },
      }),
    ],
    [
      'that is an embedded resource',
      { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['spec'], properties: { spec: a } },
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        required: ['spec', 'kind', 'apiVersion'],
        properties: { spec: a, ...identity },
      },
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        required: ['spec', 'kind', 'apiVersion'],
        properties: { spec: a, ...identity },
      },
    ],
  ])('%s', (_what, field, v3, v2) => {
    expect(published(field)).toEqual({ v3, v2 });
  });
});

describe('a custom kind', () => {
  const schema: JsonSchema = {
    type: 'object',
    description: 'Odd.',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
  };

  it('has the metadata of all objects, whatever its CRD defines', () => {
    const components = customComponents(resource, { schema, selectableFields: [] });
    expect(components[NAME]?.properties?.['metadata']).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
    });
  });

  it('has a list, and both contain the selectable fields', () => {
    const components = customComponents(resource, { schema, selectableFields: [{ jsonPath: '.spec.color' }] });
    expect(Object.keys(components)).toEqual([NAME, `${NAME}List`]);
    for (const component of Object.values(components)) {
      expect(component['x-kubernetes-selectable-fields']).toEqual([{ fieldPath: 'spec.color' }]);
    }
    expect(components[`${NAME}List`]?.properties?.['items']).toMatchObject({
      type: 'array',
      items: { $ref: `#/components/schemas/${NAME}` },
    });
  });

  it('that preserves unknown fields is only an object in OpenAPI v2', () => {
    const open: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    expect(customDefinitions(resource, { schema: open, selectableFields: [] })[NAME]).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'odd.example.com', kind: 'Oddity', version: 'v1' }],
    });
    expect(customComponents(resource, { schema: open, selectableFields: [] })[NAME]?.properties).toEqual(identity);
  });
});
