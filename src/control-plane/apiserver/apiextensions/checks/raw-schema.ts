import type { CelRule, Json } from '#platform/schema/json-schema';

/** A schema as written, with any keyword that decodes, even those that no CRD may have. */
export interface RawSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly title?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly pattern?: string;
  readonly uniqueItems?: boolean;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly items?: RawSchema | readonly RawSchema[];
  readonly allOf?: readonly RawSchema[];
  readonly anyOf?: readonly RawSchema[];
  readonly oneOf?: readonly RawSchema[];
  readonly not?: RawSchema;
  readonly properties?: Readonly<Record<string, RawSchema>>;
  readonly additionalProperties?: RawSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, RawSchema>>;
  readonly dependencies?: Readonly<Record<string, RawSchema | readonly string[]>>;
  readonly additionalItems?: RawSchema | boolean;
  readonly definitions?: Readonly<Record<string, RawSchema>>;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly example?: Json;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
  readonly [keyword: string]: unknown;
}

/** Returns the single schema of a list's items. A list of schemas does not count. */
export function itemsOf({ items }: RawSchema): RawSchema | undefined {
  return isSchema(items) ? items : undefined;
}

/** Returns the schema of a map's values. */
export function mapValuesOf({ additionalProperties }: RawSchema): RawSchema | undefined {
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

export function isSchema(value: unknown): value is RawSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isEmpty = (part: object | undefined): boolean => part === undefined || Object.keys(part).length === 0;

/** Returns the first keyword that a structural schema never supports, by the API server's name for it. */
export function unsupportedKeyword(schema: RawSchema): string | undefined {
  if (schema.id) return "'id' is not supported";
  if (schema.$schema) return "'schema' is not supported";
  if (schema.$ref) return "'$ref' is not supported";
  if (!isEmpty(schema.patternProperties)) return "'patternProperties' is not supported";
  if (!isEmpty(schema.dependencies)) return "'dependencies' is not supported";
  if (schema.additionalItems !== undefined) return "'additionalItems' is not supported";
  if (!isEmpty(schema.definitions)) return "'definitions' is not supported";
  if (Array.isArray(schema.items)) return "'items' must be a schema, but is an array";
  for (const part of partsOf(schema)) {
    const found = unsupportedKeyword(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the direct subschemas, as far as a structural schema can have them. */
export function partsOf(schema: RawSchema): readonly RawSchema[] {
  const { allOf = [], anyOf = [], oneOf = [], not, properties = {} } = schema;
  const single = [not, itemsOf(schema), mapValuesOf(schema)].filter((part) => part !== undefined);
  return [...allOf, ...anyOf, ...oneOf, ...single, ...Object.values(properties)];
}
