import { ownValue, setOwn } from '#platform/base/own-value';
import type { Json, JsonSchema } from '#platform/schema/json-schema';

/** Applies defaults in place, and drops nulls where the schema allows none, as the API server does on every write. */
export type Defaults = (value: unknown) => void;

type Container = Record<string, unknown>;

/** Creates a fresh value for each object, since objects are changed in place later. */
function fresh(value: Json): () => unknown {
  if (typeof value !== 'object' || value === null) return () => value;
  const text = JSON.stringify(value);
  return () => JSON.parse(text);
}

export function compileDefaults(schema: JsonSchema): Defaults | undefined {
  if (schema.items !== undefined) return eachOf(schema.items, (value) => (Array.isArray(value) ? value : []));
  if (typeof schema.additionalProperties === 'object') {
    const values = compileDefaults(schema.additionalProperties);
    const dropsNull = schema.additionalProperties.nullable !== true;
    return (value) => {
      if (typeof value !== 'object' || value === null) return;
      const entries = value as Container;
      for (const key in entries) {
        const entry = entries[key];
        if (entry === null && dropsNull) delete entries[key];
        else values?.(entry);
      }
    };
  }
  return schema.properties === undefined ? undefined : fieldsOf(schema.properties);
}

function eachOf(schema: JsonSchema, children: (value: unknown) => unknown[]): Defaults | undefined {
  const child = compileDefaults(schema);
  if (child === undefined) return undefined;
  return (value) => {
    for (const item of children(value)) child(item);
  };
}

interface Field {
  readonly name: string;
  readonly nullable: boolean;
  readonly make: (() => unknown) | undefined;
  readonly inner: Defaults | undefined;
}

function fieldsOf(properties: Readonly<Record<string, JsonSchema>>): Defaults {
  const byName = new Map<string, Field>();
  for (const [name, schema] of Object.entries(properties)) {
    const make = schema.default === undefined ? undefined : fresh(schema.default);
    byName.set(name, { name, nullable: schema.nullable === true, make, inner: compileDefaults(schema) });
  }
  const withDefault = [...byName.values()].filter((field) => field.make !== undefined);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const object = value as Container;
    for (const name in object) {
      const field = byName.get(name);
      if (field === undefined) continue;
      const inner = object[name];
      if (inner === null && !field.nullable) delete object[name];
      else field.inner?.(inner);
    }
    for (const { name, make, inner } of withDefault) {
      if (ownValue(object, name) !== undefined) continue;
      const made = make?.();
      setOwn(object, name, made);
      inner?.(made);
    }
  };
}
