import type { CelRule } from '#platform/schema/json-schema';
import type { CrdVersion } from '../crd.ts';
import { isSchema, type RawSchema } from './raw-schema.ts';

/**
 * Formats parts of a CRD as the API server prints them in causes: with all fields of its Go types, by their names and
 * in the order of their declaration.
 */

/** Formats its fields in their order, while other values are sorted by name. */
export interface GoStruct {
  toJSON(): unknown;
}

const struct = (fields: Readonly<Record<string, unknown>>): GoStruct => ({ toJSON: () => fields });

/** Text behind a pointer is formatted as JSON, while plain text is quoted as in Go. */
export const goPointer = (text: string): GoStruct => ({ toJSON: () => text });

export function goVersions(versions: readonly CrdVersion[]): GoStruct[] {
  return versions.map((version) =>
    struct({
      Name: version.name,
      Served: version.served,
      Storage: version.storage,
      Deprecated: version.deprecated ?? false,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema:
        version.schema === undefined
          ? null
          : { OpenAPIV3Schema: schemaFields(version.schema.openAPIV3Schema as RawSchema) },
      Subresources: version.subresources === undefined ? null : subresources(version.subresources),
      AdditionalPrinterColumns:
        version.additionalPrinterColumns?.map((column) => ({
          Name: column.name,
          Type: column.type,
          Format: column.format ?? '',
          Description: column.description ?? '',
          Priority: column.priority ?? 0,
          JSONPath: column.jsonPath,
        })) ?? null,
      SelectableFields: version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
    }),
  );
}

function subresources({ status, scale }: NonNullable<CrdVersion['subresources']>): unknown {
  return {
    Status: status === undefined ? null : {},
    Scale:
      scale === undefined
        ? null
        : {
            SpecReplicasPath: scale.specReplicasPath,
            StatusReplicasPath: scale.statusReplicasPath,
            LabelSelectorPath: scale.labelSelectorPath ?? null,
          },
  };
}

export function goSchema(schema: RawSchema): GoStruct {
  return struct(schemaFields(schema) as Record<string, unknown>);
}

type Print = (value: never) => unknown;

const text = (value: unknown = ''): unknown => value;
const flag = (value: unknown = false): unknown => value;
const pointer = (value: unknown = null): unknown => value;
const schemas = (value: readonly RawSchema[] | undefined): unknown => value?.map(schemaFields) ?? null;
const bySchema = (value: Readonly<Record<string, RawSchema>> | undefined): unknown =>
  value === undefined ? null : sortMap(value, schemaFields);
const schemaOrBool = (value: RawSchema | boolean | undefined): unknown =>
  value === undefined ? null : { Allows: value !== false, Schema: isSchema(value) ? schemaFields(value) : null };

/** Fields of a schema with their keywords and formatters. */
const FIELDS: readonly (readonly [field: string, keyword: string, print: Print])[] = [
  ['ID', 'id', text],
  ['Schema', '$schema', text],
  ['Ref', '$ref', pointer],
  ['Description', 'description', text],
  ['Type', 'type', text],
  ['Nullable', 'nullable', flag],
  ['Format', 'format', text],
  ['Title', 'title', text],
  ['Default', 'default', pointer],
  ['Maximum', 'maximum', pointer],
  ['ExclusiveMaximum', 'exclusiveMaximum', flag],
  ['Minimum', 'minimum', pointer],
  ['ExclusiveMinimum', 'exclusiveMinimum', flag],
  ['MaxLength', 'maxLength', pointer],
  ['MinLength', 'minLength', pointer],
  ['Pattern', 'pattern', text],
  ['MaxItems', 'maxItems', pointer],
  ['MinItems', 'minItems', pointer],
  ['UniqueItems', 'uniqueItems', flag],
  ['MultipleOf', 'multipleOf', pointer],
  ['Enum', 'enum', pointer],
  ['MaxProperties', 'maxProperties', pointer],
  ['MinProperties', 'minProperties', pointer],
  ['Required', 'required', pointer],
  ['Items', 'items', printItems],
  ['AllOf', 'allOf', schemas],
  ['OneOf', 'oneOf', schemas],
  ['AnyOf', 'anyOf', schemas],
  ['Not', 'not', (value?: RawSchema) => (value === undefined ? null : schemaFields(value))],
  ['Properties', 'properties', bySchema],
  ['AdditionalProperties', 'additionalProperties', schemaOrBool],
  ['PatternProperties', 'patternProperties', bySchema],
  ['Dependencies', 'dependencies', printDependencies],
  ['AdditionalItems', 'additionalItems', schemaOrBool],
  ['Definitions', 'definitions', bySchema],
  ['ExternalDocs', 'externalDocs', printDocs],
  ['Example', 'example', pointer],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', pointer],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', flag],
  ['XIntOrString', 'x-kubernetes-int-or-string', flag],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', pointer],
  ['XListType', 'x-kubernetes-list-type', pointer],
  ['XMapType', 'x-kubernetes-map-type', pointer],
  ['XValidations', 'x-kubernetes-validations', printRules],
];

/** Go names of the schema fields by keyword. */
export const FIELD_NAMES: ReadonlyMap<string, string> = new Map(FIELDS.map(([field, keyword]) => [keyword, field]));

function schemaFields(schema: RawSchema | undefined): unknown {
  if (schema === undefined) return null;
  return Object.fromEntries(FIELDS.map(([field, keyword, print]) => [field, print(schema[keyword] as never)]));
}

function printItems(items: RawSchema['items']): unknown {
  if (items === undefined) return null;
  return isSchema(items)
    ? { Schema: schemaFields(items), JSONSchemas: null }
    : { Schema: null, JSONSchemas: items.map(schemaFields) };
}

function printDependencies(dependencies: RawSchema['dependencies']): unknown {
  if (dependencies === undefined) return null;
  return sortMap(dependencies, (value) =>
    isSchema(value) ? { Schema: schemaFields(value), Property: null } : { Schema: null, Property: value },
  );
}

function printDocs(docs: RawSchema['externalDocs']): unknown {
  return docs === undefined ? null : { Description: docs.description ?? '', URL: docs.url ?? '' };
}

function printRules(rules: readonly CelRule[] | undefined): unknown {
  return (
    rules?.map((rule) => ({
      Rule: rule.rule,
      Message: rule.message ?? '',
      MessageExpression: rule.messageExpression ?? '',
      Reason: rule.reason ?? null,
      FieldPath: rule.fieldPath ?? '',
      OptionalOldSelf: rule.optionalOldSelf ?? null,
    })) ?? null
  );
}

function sortMap<T>(map: Readonly<Record<string, T>>, print: (value: T) => unknown): unknown {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, print(value)]));
}
