import { fromBase64 } from '#platform/base/base64';
import type { JsonSchema } from '#platform/schema/json-schema';
import { escapeName } from './escape.ts';
import { SchemaList } from './schema-list.ts';
import { SchemaMap, SchemaObject } from './schema-mapping.ts';
import { withMeta } from './schema-shape.ts';
import { parseCelDuration, parseDate, parseTimestamp } from './time.ts';
import { Duration, EvaluationError, Timestamp, type Value } from './values.ts';

/** Converts JSON to a value of an expression. Containers convert their contents only on access. */
export type Adapt = (json: unknown) => Value;

export function compileAdapter(schema: JsonSchema, root: boolean): Adapt {
  const adapt = adapterOf(schema, root);
  return (json) => (json === null || json === undefined ? null : adapt(json));
}

function wrong(expected: string, json: unknown): never {
  throw new EvaluationError(`invalid data, expected ${expected}, got ${goType(json)}`);
}

/** Returns the Go type in which the API server holds a JSON value. */
function goType(json: unknown): string {
  if (typeof json === 'string') return 'string';
  if (typeof json === 'boolean') return 'bool';
  if (typeof json === 'number') return Number.isInteger(json) ? 'int64' : 'float64';
  return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}';
}

const text: Adapt = (json) => (typeof json === 'string' ? json : wrong('string', json));
const integer: Adapt = (json) => {
  if (typeof json === 'bigint') return json;
  const isWhole = typeof json === 'number' && Number.isInteger(json) && Math.abs(json) < 2 ** 63;
  return isWhole ? BigInt(json) : wrong('int', json);
};
const double: Adapt = (json) => {
  if (typeof json === 'bigint') return Number(json);
  return typeof json === 'number' ? json : wrong('float', json);
};
const truth: Adapt = (json) => (typeof json === 'boolean' ? json : wrong('bool', json));
const intOrString: Adapt = (json) => (typeof json === 'string' ? json : integer(json));

/** Converts text of a format to its value: a time, a duration, bytes. */
function formatAdapter(format: string): Adapt {
  return (json) => {
    if (typeof json !== 'string') return wrong('string', json);
    if (format === 'byte') return fromBase64(json);
    const ns =
      format === 'duration' ? parseCelDuration(json) : format === 'date' ? parseDate(json) : parseTimestamp(json);
    if (ns === undefined) throw new EvaluationError(`Invalid ${format} formatted string ${json}`);
    return format === 'duration' ? new Duration(ns) : new Timestamp(ns);
  };
}

function adapterOf(schema: JsonSchema, root: boolean): Adapt {
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString;
  switch (schema.type) {
    case 'string':
      return ['byte', 'duration', 'date', 'date-time'].includes(schema.format ?? '')
        ? formatAdapter(schema.format ?? '')
        : text;
    case 'integer':
      return integer;
    case 'number':
      return double;
    case 'boolean':
      return truth;
    case 'array':
      return listAdapter(schema);
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? mapAdapter(schema.additionalProperties)
        : objectAdapter(root ? withMeta(schema) : schema);
    default:
      return (json) => wrong('a value of a type that the schema names', json);
  }
}

const compileBelow = (schema: JsonSchema): Adapt =>
  compileAdapter(schema, schema['x-kubernetes-embedded-resource'] === true);

/** Compiles the adapter on first use, because most rules read few of the fields below them. */
function lazily(schema: JsonSchema): Adapt {
  let adapt: Adapt | undefined;
  return (json) => {
    adapt ??= compileBelow(schema);
    return adapt(json);
  };
}

function listAdapter(schema: JsonSchema): Adapt {
  const item = lazily(schema.items ?? {});
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key);
  const kind = schema['x-kubernetes-list-type'] ?? 'atomic';
  return (json) => (Array.isArray(json) ? new SchemaList(json, { item, kind, keys }) : wrong('an array', json));
}

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function mapAdapter(schema: JsonSchema): Adapt {
  const entry = lazily(schema);
  return (json) => (isObject(json) ? new SchemaMap(json, entry) : wrong('a map', json));
}

function objectAdapter(schema: JsonSchema): Adapt {
  const fields = new Map<string, { readonly key: string; readonly adapt: Adapt }>();
  const known = new Map<string, Adapt>();
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    const adapt = lazily(field);
    if (isTyped(field)) known.set(key, adapt);
    const escaped = escapeName(key);
    if (escaped !== undefined) fields.set(escaped, { key, adapt });
  }
  return (json) => (isObject(json) ? new SchemaObject(json, { fields, known }) : wrong('a map', json));
}

function isTyped(schema: JsonSchema): boolean {
  return schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true;
}
