import type { JsonSchema } from '../api/json-schema.ts';

/**
 * Turns a JSON value into what an expression sees: integers are 64-bit, timestamps are timestamps, fields that the
 * schema does not know are not there.
 */
export type ToCel = (value: unknown) => unknown;

const same: ToCel = (value) => value;
const wholeNumbers: ToCel = (value) =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : (value ?? null);
const instants: ToCel = (value) => {
  const instant = typeof value === 'string' ? new Date(value) : undefined;
  return instant === undefined || Number.isNaN(instant.getTime()) ? value : instant;
};

export function compileToCel(schema: JsonSchema): ToCel {
  if (schema['x-kubernetes-int-or-string'] === true || schema.type === 'integer') return wholeNumbers;
  if (schema.type === 'string') return schema.format === 'date-time' ? instants : same;
  if (schema.type === 'array') {
    const item = schema.items === undefined ? same : compileToCel(schema.items);
    return (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (schema.type !== 'object') return same;
  return typeof schema.additionalProperties === 'object'
    ? mapValues(compileToCel(schema.additionalProperties))
    : knownFields(schema.properties ?? {});
}

function mapValues(entry: ToCel): ToCel {
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    return new Map(Object.entries(value).map(([key, inner]) => [key, entry(inner)]));
  };
}

function knownFields(properties: Readonly<Record<string, JsonSchema>>): ToCel {
  const fields = new Map<string, { name: string; convert: ToCel }>();
  for (const [key, schema] of Object.entries(properties)) {
    fields.set(key, { name: celName(key), convert: compileToCel(schema) });
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const object: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(value)) {
      const field = fields.get(key);
      const inner = (value as Record<string, unknown>)[key];
      if (field !== undefined && inner !== undefined) object[field.name] = field.convert(inner);
    }
    return object;
  };
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** How a field name that is no identifier, or a word of the language, is spelled in an expression. */
function celName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
