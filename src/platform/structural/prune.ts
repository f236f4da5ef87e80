import type { JsonSchema } from '#platform/schema/json-schema';

/** Drops unknown fields from a value in place, and records the path of each. */
export type Prune = (value: unknown, path: string, dropped: string[]) => void;

type Container = Record<string, unknown>;

/** Maximum number of reported paths, as in the API server. */
const MAX_REPORTED = 100;

/** Position of a dropped field, from there upwards. A path is formatted only when there is one to report. */
type Trail = (string | number)[];

/** Drops in place and records the trails, each up to the given value. */
type Walk = (value: unknown, dropped: Trail[]) => void;

const isObject = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Compiles pruning. Returns undefined if nothing below this schema can ever be dropped; scalars cost only a type check.
 */
export function compilePrune(schema: JsonSchema, root = false): Prune | undefined {
  const walk = compileWalk(schema, root);
  if (walk === undefined) return undefined;
  return (value, path, dropped) => {
    const trails: Trail[] = [];
    walk(value, trails);
    for (const trail of trails) dropped.push(pathOf(path, trail));
  };
}

function pathOf(path: string, trail: Trail): string {
  return trail.reduceRight<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, path);
}

function compileWalk(schema: JsonSchema, root = false): Walk | undefined {
  if (schema.items !== undefined) return walkItems(schema.items);
  const { properties, additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return walkValues(additionalProperties);
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  if (properties === undefined && keepsUnknown) return undefined;
  if (properties === undefined && schema.type !== 'object') return dropFields;
  const embedded = root || schema['x-kubernetes-embedded-resource'] === true;
  return walkFields(properties ?? {}, keepsUnknown, embedded);
}

/** Drops all fields of an object where the schema allows no object. */
const dropFields: Walk = (value, dropped) => {
  if (Array.isArray(value)) eachItem(value, dropFields, dropped);
  else if (isObject(value)) {
    for (const key in value) {
      reportDropped(dropped, key);
      delete value[key];
    }
  }
};

function reportDropped(dropped: Trail[], key: string): void {
  if (dropped.length < MAX_REPORTED) dropped.push([key]);
}

function eachItem(items: readonly unknown[], walk: Walk, dropped: Trail[]): void {
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === 'object') into(walk, item, i, dropped);
  }
}

/** Walks into a part and adds its position to each resulting trail. */
function into(walk: Walk, value: unknown, segment: string | number, dropped: Trail[]): void {
  const before = dropped.length;
  walk(value, dropped);
  for (let i = before; i < dropped.length; i++) dropped[i]?.push(segment);
}

function walkItems(items: JsonSchema): Walk | undefined {
  const item = compileWalk(items);
  if (item === undefined) return undefined;
  return (value, dropped) => {
    if (Array.isArray(value)) eachItem(value, item, dropped);
    else dropFields(value, dropped);
  };
}

function walkValues(values: JsonSchema): Walk | undefined {
  const entry = compileWalk(values);
  if (entry === undefined) return undefined;
  return (value, dropped) => {
    if (isObject(value)) {
      for (const key in value) if (typeof value[key] === 'object') into(entry, value[key], key, dropped);
    } else dropFields(value, dropped);
  };
}

/** Type and metadata of a resource, which the schema never drops. */
const RESOURCE_FIELDS = ['apiVersion', 'kind', 'metadata'];

function walkFields(properties: Readonly<Record<string, JsonSchema>>, keepsUnknown: boolean, resource: boolean): Walk {
  const fields = new Map<string, Walk | undefined>();
  for (const [name, field] of Object.entries(properties)) fields.set(name, compileWalk(field));
  if (resource) for (const name of RESOURCE_FIELDS) fields.set(name, undefined);
  return (value, dropped) => {
    if (!isObject(value)) {
      if (!keepsUnknown) dropFields(value, dropped);
      return;
    }
    for (const key in value) {
      const field = fields.get(key);
      if (field !== undefined) {
        if (typeof value[key] === 'object') into(field, value[key], key, dropped);
      } else if (!keepsUnknown && !fields.has(key)) {
        reportDropped(dropped, key);
        delete value[key];
      }
    }
  };
}
