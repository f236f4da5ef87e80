import type { JsonSchema } from '../api/json-schema.ts';

/** Drops what a schema does not know from a value in place, and tells each path it dropped. */
export type Prune = (value: unknown, path: string, dropped: string[]) => void;

type Container = Record<string, unknown>;

const isObject = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined where nothing below this schema can ever be dropped, so that whole branches cost nothing. */
export function compilePrune(schema: JsonSchema, root = false): Prune | undefined {
  if (schema.items !== undefined) return pruneItems(schema.items);
  const { properties, additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return pruneValues(additionalProperties);
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  if (properties === undefined && (keepsUnknown || schema.type !== 'object')) return undefined;
  const embedded = root || schema['x-kubernetes-embedded-resource'] === true;
  return pruneFields(properties ?? {}, keepsUnknown, embedded);
}

function pruneItems(items: JsonSchema): Prune | undefined {
  const item = compilePrune(items);
  if (item === undefined) return undefined;
  return (value, path, dropped) => {
    if (!Array.isArray(value)) return;
    for (let i = 0; i < value.length; i++) item(value[i], `${path}[${i}]`, dropped);
  };
}

function pruneValues(values: JsonSchema): Prune | undefined {
  const entry = compilePrune(values);
  if (entry === undefined) return undefined;
  return (value, path, dropped) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) entry(value[key], path === '' ? key : `${path}.${key}`, dropped);
  };
}

/** The type and metadata of a resource are never the schema's to drop. */
const RESOURCE_FIELDS = ['apiVersion', 'kind', 'metadata'];

function pruneFields(
  properties: Readonly<Record<string, JsonSchema>>,
  keepsUnknown: boolean,
  resource: boolean,
): Prune {
  const fields = new Map<string, Prune | undefined>();
  for (const [name, field] of Object.entries(properties)) fields.set(name, compilePrune(field));
  if (resource) for (const name of RESOURCE_FIELDS) fields.set(name, undefined);
  return (value, path, dropped) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      const field = fields.get(key);
      if (field !== undefined) field(value[key], path === '' ? key : `${path}.${key}`, dropped);
      else if (!keepsUnknown && !fields.has(key)) {
        dropped.push(path === '' ? key : `${path}.${key}`);
        delete value[key];
      }
    }
  };
}
