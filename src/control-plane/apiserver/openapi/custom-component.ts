import { ownValue } from '#platform/base/own-value';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Resource } from '../resource.ts';
import { type Component, describedReference, referenceTo } from './component.ts';
import { componentName, LIST_META, OBJECT_META } from './component-name.ts';

/** Properties of one version of a CRD. */
export interface CustomSchema {
  readonly schema: JsonSchema;
  readonly selectableFields: readonly { readonly jsonPath: string }[];
}

const API_VERSION: Component = {
  description: 'APIVersion is the group and the schema version of this object.',
  type: 'string',
};
const KIND: Component = { description: 'Kind of this object.', type: 'string' };
const METADATA = describedReference(OBJECT_META, "Standard object's metadata: name, namespace, labels and more.");

/** Returns the OpenAPI v3 components of a custom resource: its kind and its list. */
export function customComponents(resource: Resource, custom: CustomSchema): Record<string, Component> {
  const { schema } = custom;
  return componentsOf(resource, custom, { ...publish(schema), type: 'object' }, METADATA);
}

/**
 * Returns the OpenAPI v2 components of a custom resource. OpenAPI v2 cannot express all of a structural schema and old
 * clients fail on partial types, so a schema that is nullable or preserves unknown fields is left open.
 */
export function customDefinitions(resource: Resource, custom: CustomSchema): Record<string, Component> {
  const { schema } = custom;
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true) {
    return componentsOf(resource, custom, { ...simplify(schema), type: 'object' }, METADATA);
  }
  const all = componentsOf(resource, custom, { type: 'object' }, METADATA);
  const name = componentName(resource.group, resource.version, resource.kind);
  const { properties: _, ...open } = all[name] as Component;
  return { ...all, [name]: open };
}

function componentsOf(
  { group, version, kind, listKind, plural }: Resource,
  { selectableFields }: CustomSchema,
  schema: Component,
  metadata: Component,
): Record<string, Component> {
  const name = componentName(group, version, kind);
  const paths = selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') }));
  const selectable = paths.length === 0 ? {} : { 'x-kubernetes-selectable-fields': paths };
  return {
    [name]: {
      ...schema,
      properties: { ...schema.properties, apiVersion: API_VERSION, kind: KIND, metadata },
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
      ...selectable,
    },
    [componentName(group, version, listKind)]: {
      description: `${listKind} is a list of ${kind}.`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: API_VERSION,
        items: { description: `The ${plural}.`, type: 'array', items: referenceTo(name) },
        kind: KIND,
        metadata: describedReference(LIST_META, 'Standard list metadata.'),
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
      ...selectable,
    },
  };
}

function publish(schema: JsonSchema): Component {
  const found: Record<string, unknown> = { ...schema };
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined) found['properties'] = mapValues(properties, publish);
  if (items !== undefined) found['items'] = publish(items);
  if (typeof additionalProperties === 'object') found['additionalProperties'] = publish(additionalProperties);
  if (schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined && schema.allOf === undefined) {
    found['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  }
  if (schema['x-kubernetes-embedded-resource'] === true) embed(found);
  return found;
}

/** Adds the fields of all objects to an embedded object. */
function embed(found: Record<string, unknown>): void {
  const { properties, required = [] } = found as Component;
  found['properties'] = { ...properties, apiVersion: API_VERSION, kind: KIND, metadata: METADATA };
  found['required'] = [...new Set([...required, 'kind', 'apiVersion'])];
}

const DROPPED = new Set(['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']);
const OF_A_TYPE = new Set(['type', 'items', 'properties']);

function simplify(schema: JsonSchema): Component {
  const open = schema.nullable === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const found: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DROPPED.has(keyword) || (open && OF_A_TYPE.has(keyword))) continue;
    found[keyword] = value;
  }
  const { items, properties, additionalProperties } = schema;
  if (typeof additionalProperties === 'object') found['additionalProperties'] = simplify(additionalProperties);
  if (open) return found;
  if (items !== undefined) found['items'] = simplify(items);
  if (properties !== undefined) found['properties'] = mapValues(properties, simplify);
  const required = schema.required?.filter((name) => ownValue(properties ?? {}, name)?.nullable !== true) ?? [];
  if (required.length > 0) found['required'] = required;
  else delete found['required'];
  if (schema['x-kubernetes-embedded-resource'] === true) embed(found);
  return found;
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
