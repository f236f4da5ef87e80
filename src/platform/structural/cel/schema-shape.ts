import type { JsonSchema } from '#platform/schema/json-schema';
import { escapeName } from './escape.ts';
import type { Shape } from './estimate.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  STRING,
  TIMESTAMP,
  type Type,
} from './types.ts';

/** Maximum request size of the API server. It bounds every value that has no bound of its own. */
const MAX_BYTES = 3 * 1024 * 1024;
const MAX_TEXT_LENGTH = MAX_BYTES - 2;
const MAX_TIME_LENGTH = 32;
const DATE = 12;

/** Shape with the minimum number of JSON bytes of its values. */
interface Sized extends Shape {
  readonly least: number;
}

const KEY: Sized = { type: STRING, most: 0, least: 2 };

/**
 * Returns the type and maximum size of values of a schema as expressions see them, or undefined if the schema does not
 * determine the value. `root` is a resource, which always has a kind and a name.
 */
export function shapeOf(schema: JsonSchema, root: boolean, name: string): Shape | undefined {
  return sizedShape(schema, root, name);
}

function sizedShape(schema: JsonSchema, root: boolean, name: string): Sized | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { type: DYN, most: schema.maxLength === undefined ? MAX_TEXT_LENGTH : maxBytes(schema.maxLength), least: 1 };
  }
  switch (schema.type) {
    case 'array':
      return listShape(schema, name);
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? mapShape(schema, schema.additionalProperties, name)
        : objectShape(root ? withMeta(schema) : schema, name);
    case 'string':
      return textShape(schema);
    case 'boolean':
      return { type: BOOL, most: 0, least: 4 };
    case 'number':
      return { type: DOUBLE, most: 0, least: 1 };
    case 'integer':
      return { type: INT, most: 0, least: 1 };
    default:
      return undefined;
  }
}

/** Converts a bound on characters to bytes. A character may take four bytes. */
const maxBytes = (maxLength: number): number => Math.max(0, maxLength) * 4;

function textShape({ format, maxLength, enum: values }: JsonSchema): Sized {
  switch (format) {
    case 'byte':
      return { type: BYTES, most: maxLength ?? MAX_TEXT_LENGTH, least: 2 };
    case 'duration':
      return { type: DURATION, most: MAX_TIME_LENGTH, least: 3 };
    case 'date':
      return { type: TIMESTAMP, most: DATE, least: DATE };
    case 'date-time':
      return { type: TIMESTAMP, most: MAX_TIME_LENGTH, least: 21 };
    default:
  }
  if (maxLength !== undefined) return { type: STRING, most: maxBytes(maxLength), least: 2 };
  const lengths = values?.map((value) => (typeof value === 'string' ? value.length : 0)) ?? [];
  return { type: STRING, most: lengths.length > 0 ? Math.max(...lengths) : MAX_TEXT_LENGTH, least: 2 };
}

function listShape({ items: schema, maxItems }: JsonSchema, name: string): Sized | undefined {
  const items =
    schema === undefined
      ? undefined
      : sizedShape(schema, schema['x-kubernetes-embedded-resource'] === true, `${name}.@idx`);
  if (items === undefined) return undefined;
  const max = maxItems === undefined ? Math.floor((MAX_BYTES - 2) / (items.least + 1)) : Math.max(0, maxItems);
  return { type: listOf(items.type), most: max, items, least: 2 };
}

function mapShape({ maxProperties }: JsonSchema, schema: JsonSchema, name: string): Sized | undefined {
  const items = sizedShape(schema, schema['x-kubernetes-embedded-resource'] === true, `${name}.@elem`);
  if (items === undefined) return undefined;
  const max =
    maxProperties === undefined ? Math.floor((MAX_BYTES - 2) / (items.least + 6)) : Math.max(0, maxProperties);
  return { type: mapOf(STRING, items.type), most: max, keys: KEY, items, least: 2 };
}

function objectShape({ properties = {}, required = [] }: JsonSchema, name: string): Sized {
  const fields = new Map<string, Shape>();
  const types = new Map<string, Type>();
  let min = 2;
  for (const [key, schema] of Object.entries(properties)) {
    const escaped = escapeName(key);
    const shape = sizedShape(schema, schema['x-kubernetes-embedded-resource'] === true, `${name}.${escaped ?? key}`);
    if (shape === undefined) continue;
    if (escaped !== undefined) {
      fields.set(escaped, shape);
      types.set(escaped, shape.type);
    }
    if (required.includes(key) && schema.default === undefined) min += key.length + shape.least + 4;
  }
  return { type: objectOf(name, types), most: 0, fields, least: min };
}

const TEXT: JsonSchema = { type: 'string' };
const META: JsonSchema = { type: 'object', properties: { name: TEXT, generateName: TEXT } };

/** Adds the kind and name of a resource, which are visible even if its schema does not mention them. */
export function withMeta(schema: JsonSchema): JsonSchema {
  const { apiVersion, kind, metadata } = schema.properties ?? {};
  const named =
    metadata?.properties?.['name']?.type === 'string' && metadata.properties['generateName']?.type === 'string';
  if (named && apiVersion?.type === 'string' && kind?.type === 'string') return schema;
  return { ...schema, properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: META } };
}
