import type { CelRule, JsonSchema } from '#platform/schema/json-schema';
import type { OutputOf, Schema, SchemaInputOf } from '#platform/schema/schema';

/** `T` with every field at every depth optional; maps keep their values as they are. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [K in keyof T]?: Partially<T[K]> }
    : T;

/**
 * Returns the same fields with nothing required and nothing defaulted, for an object that sets only some of them.
 * Atomic lists and maps must still be complete. Keys of list maps stay required, as Kubernetes demands, and transition
 * rules are dropped, since a default may change.
 */
export function partial<S extends Schema>(
  description: string,
  schema: S,
): Schema<Partially<OutputOf<S>>, Partially<SchemaInputOf<S>>, 'optional'> {
  return { json: { ...loosen(schema.json), description }, presence: 'optional' };
}

function loosen(schema: JsonSchema, keys: readonly string[] = []): JsonSchema {
  const { required, default: _default, 'x-kubernetes-validations': rules, ...rest } = schema;
  if (isAtomic(schema)) return { ...rest, ...(required && { required }), ...withoutTransitionRules(rules) };
  const kept = required?.filter((name) => keys.includes(name)) ?? [];
  const { properties, items, additionalProperties } = rest;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, loosen(field)])),
    }),
    ...(items && { items: loosen(items, rest['x-kubernetes-list-map-keys']) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: loosen(additionalProperties) }),
    ...(kept.length > 0 && { required: kept }),
    ...withoutTransitionRules(rules),
  };
}

function isAtomic(schema: JsonSchema): boolean {
  return schema['x-kubernetes-list-type'] === 'atomic' || schema['x-kubernetes-map-type'] === 'atomic';
}

function withoutTransitionRules(rules: readonly CelRule[] = []): Pick<JsonSchema, 'x-kubernetes-validations'> {
  const kept = rules.filter(({ rule }) => !/\boldSelf\b/.test(rule));
  return kept.length > 0 ? { 'x-kubernetes-validations': kept } : {};
}
