import type { JsonSchema } from '#platform/schema/json-schema';
import { intOrString, object, quantity, type Schema } from '#platform/schema/schema';
import data from './upstream.data.json' with { type: 'json' };

/**
 * The fields of KubeVirt 1.9's public API (upstream.data.json, written by tools/kubevirt-fields.ts), so that a
 * manifest made for KubeVirt is valid here whether or not we act on each of its fields.
 */

/** A schema of the data file; `$ref` names another definition of the file, or one of SPECIAL_TYPES. */
export interface UpstreamSchema extends Omit<JsonSchema, 'properties' | 'items' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, UpstreamSchema>>;
  readonly items?: UpstreamSchema;
  readonly additionalProperties?: UpstreamSchema;
}
export type UpstreamName = keyof typeof data;

export const definitions = data as unknown as Readonly<Record<string, UpstreamSchema>>;

/** What `kubectl explain` says of a field that nothing acts on; admission knows such a field by this description. */
export const NOT_ACTED_ON = 'KubeVirt field: accepted, not acted on yet.';
const NOT_ACTED_ON_EITHER = 'Not acted on yet.';
const NOT_FILLED_IN = 'KubeVirt field: not filled in yet.';

const ANY_OBJECT: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Types that JSON schema spells its own way. */
export const SPECIAL_TYPES: Readonly<Record<string, JsonSchema>> = {
  Quantity: quantity('A quantity.').json,
  IntOrString: intOrString('A number or a text.').json,
  Time: { type: 'string', format: 'date-time', nullable: true },
  Duration: { type: 'string' },
  ObjectMeta: ANY_OBJECT,
  AnyObject: ANY_OBJECT,
};

type Fields = Readonly<Record<string, Schema>>;
type Options = Omit<NonNullable<Parameters<typeof object>[2]>, 'also'>;

/** An object of KubeVirt's API: the fields that we act on, written by hand, and under them all others that KubeVirt has. */
export function kubevirtObject<F extends Fields, const O extends Options>(
  name: UpstreamName,
  description: string,
  fields: F,
  options?: O,
): ReturnType<typeof object<F, O>> {
  return withOthers(name, resolveSchema, description, fields, options);
}

/** As kubevirtObject, for what controllers report: what nothing fills in is known by name and type, but not looked into. */
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

/** The schema with every reference replaced by what it names. Three served versions must fit into one CRD, hence few words. */
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

/** As resolve, but an object is any object. */
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
