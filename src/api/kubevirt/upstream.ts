import type { JsonSchema } from '#platform/schema/json-schema';
import { intOrString, object, quantity, type Schema } from '#platform/schema/schema';
import data from './upstream.data.json' with { type: 'json' };

/**
 * Fields of KubeVirt 1.9's public API (upstream.data.json, written by tools/kubevirt-fields.ts). A manifest for
 * KubeVirt is thus valid here whether or not we act on each of its fields.
 */

/** Schema of the data file. `$ref` names another definition of the file, or one of SPECIAL_TYPES. */
export interface UpstreamSchema extends Omit<JsonSchema, 'properties' | 'items' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, UpstreamSchema>>;
  readonly items?: UpstreamSchema;
  readonly additionalProperties?: UpstreamSchema;
}
export type UpstreamName = keyof typeof data;

export const definitions = data as unknown as Readonly<Record<string, UpstreamSchema>>;

/** Description in `kubectl explain` of a field that nothing acts on. Admission recognizes such a field by it. */
export const NOT_ACTED_ON = 'KubeVirt field: accepted, not acted on yet.';
const NOT_ACTED_ON_EITHER = 'Not acted on yet.';
const NOT_FILLED_IN = 'KubeVirt field: not filled in yet.';

const ANY_OBJECT: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Types that JSON schema expresses in its own way. */
export const SPECIAL_TYPES: Readonly<Record<string, JsonSchema>> = {
  Quantity: quantity('A quantity.').json,
  IntOrString: intOrString('A number or a string.').json,
  Time: { type: 'string', format: 'date-time', nullable: true },
  Duration: { type: 'string' },
  ObjectMeta: ANY_OBJECT,
  AnyObject: ANY_OBJECT,
};

type Fields = Readonly<Record<string, Schema>>;
type Options = Omit<NonNullable<Parameters<typeof object>[2]>, 'also'>;

/** Returns an object of KubeVirt's API: the fields that we act on, written by hand, plus all others of KubeVirt. */
export function kubevirtObject<F extends Fields, const O extends Options>(
  name: UpstreamName,
  description: string,
  fields: F,
  options?: O,
): ReturnType<typeof object<F, O>> {
  return withOthers(name, resolveSchema, description, fields, options);
}

/**
 * Works like kubevirtObject for statuses. Fields that nothing fills in have a name and a type, but no nested schema.
 */
export function kubevirtStatus<F extends Fields, const O extends Options>(
  name: UpstreamName,
  description: string,
  fields: F,
  options?: O,
): ReturnType<typeof object<F, O>> {
  return withOthers(name, outlineSchema, description, fields, options);
}

function withOthers<F extends Fields, const O extends Options>(
  name: UpstreamName,
  convert: (schema: UpstreamSchema) => JsonSchema,
  description: string,
  fields: F,
  options?: O,
): ReturnType<typeof object<F, O>> {
  const others = Object.entries(definitions[name]?.properties ?? {}).filter(([field]) => !(field in fields));
  const also = Object.fromEntries(others.map(([field, schema]) => [field, convert(schema)]));
  return object<F, O>(description, fields, { ...options, also } as unknown as O);
}

function resolveSchema(schema: UpstreamSchema): JsonSchema {
  return { ...resolve(schema), description: NOT_ACTED_ON };
}

/**
 * Replaces every reference by its target. Descriptions are short, since three served versions must fit into one CRD.
 */
function resolve(schema: UpstreamSchema): JsonSchema {
  const { $ref, properties, items, additionalProperties, ...rest } = schema;
  if ($ref !== undefined) return SPECIAL_TYPES[$ref] ?? resolve(definitions[$ref] ?? {});
  const fields = Object.entries(properties ?? {}).map(([field, inner]) => [
    field,
    { ...resolve(inner), description: NOT_ACTED_ON_EITHER },
  ]);
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
    ...(items === undefined ? {} : { items: resolve(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: resolve(additionalProperties) }),
  };
}

function outlineSchema(schema: UpstreamSchema): JsonSchema {
  return { ...outline(schema), description: NOT_FILLED_IN };
}

/** Works like resolve, but leaves objects without fields. */
function outline(schema: UpstreamSchema): JsonSchema {
  const { $ref, type, format, items, nullable, 'x-kubernetes-list-type': listType } = schema;
  if ($ref !== undefined) return SPECIAL_TYPES[$ref] ?? outline(definitions[$ref] ?? {});
  if (type === undefined || type === 'object') return ANY_OBJECT;
  return {
    type,
    ...(format === undefined ? {} : { format }),
    ...(nullable === undefined ? {} : { nullable }),
    ...(items === undefined ? {} : { items: outline(items) }),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
  };
}
