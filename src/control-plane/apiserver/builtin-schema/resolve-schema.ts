import type { Json, JsonSchema } from '#platform/schema/json-schema';
import { compileDefaults, type Defaults } from '#platform/structural/defaults';
import { compileSchema, type StructuralSchema } from '#platform/structural/structural-schema';
import { goFields, type OpenApiSchema, openApiSchema, referencedName, schemaNameOf } from './kinds.ts';

const ANYTHING: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const TIME: JsonSchema = { type: 'string', format: 'date-time', nullable: true };
const NUMBER_OR_TEXT: JsonSchema = { 'x-kubernetes-int-or-string': true };

/** Schemas of types with custom JSON, which OpenAPI describes only roughly. */
const OWN_JSON: Readonly<Record<string, JsonSchema>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': TIME,
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': TIME,
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': ANYTHING,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': ANYTHING,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': NUMBER_OR_TEXT,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': NUMBER_OR_TEXT,
};

const resolved = new Map<string, JsonSchema>();
const compiled = new Map<string, StructuralSchema>();
const defaults = new Map<string, Defaults | undefined>();

/**
 * Returns the schema of a built-in kind with all references resolved, undefined if the kind is not built in. A
 * recursive structure (only JSONSchemaProps) accepts anything, and defaults equal to Go's zero values are left out,
 * since the API server sets none.
 */
export function resolveSchema(apiVersion: string, kind: string): JsonSchema | undefined {
  const name = schemaNameOf(apiVersion, kind);
  return name === undefined ? undefined : resolveName(name, []);
}

/**
 * Returns the structural schema of a built-in kind. It is stricter than the API server, which validates built-in kinds
 * by code: it also checks required fields and enums in a status.
 */
export function builtInStructural(apiVersion: string, kind: string): StructuralSchema | undefined {
  const name = schemaNameOf(apiVersion, kind);
  if (name === undefined) return undefined;
  let schema = compiled.get(name);
  if (schema === undefined) {
    schema = compileSchema(resolveName(name, []));
    compiled.set(name, schema);
  }
  return schema;
}

/**
 * Sets in place the few defaults that OpenAPI lists (the protocol of a port, one replica). Most defaults of built-in
 * kinds are code.
 */
export function applyBuiltInDefaults(apiVersion: string, kind: string, object: unknown): void {
  const name = schemaNameOf(apiVersion, kind);
  if (name === undefined) return;
  if (!defaults.has(name)) defaults.set(name, compileDefaults(resolveName(name, [])));
  defaults.get(name)?.(object);
}

function resolveName(name: string, inside: readonly string[]): JsonSchema {
  const own = OWN_JSON[name];
  if (own !== undefined) return own;
  if (inside.includes(name)) return ANYTHING;
  let schema = resolved.get(name);
  if (schema === undefined) {
    schema = resolveFields(openApiSchema(name) ?? {}, name, [...inside, name]);
    resolved.set(name, schema);
  }
  return schema;
}

function resolveFields(schema: OpenApiSchema, name: string, inside: readonly string[]): JsonSchema {
  if (schema.properties === undefined) return schema.type === undefined ? ANYTHING : { type: schema.type };
  const go = goFields(name);
  const properties: Record<string, JsonSchema> = {};
  for (const [key, field] of Object.entries(schema.properties)) {
    const inner = resolve(field, inside);
    const flag = go.get(key)?.flag;
    properties[key] = flag === 'n' || flag === 'P' ? { ...inner, nullable: true } : inner;
  }
  return { ...(schema as JsonSchema), properties };
}

function resolve(schema: OpenApiSchema, inside: readonly string[]): JsonSchema {
  const reference = referencedName(schema);
  const { $ref: _, allOf: __, default: value, items, additionalProperties, ...rest } = schema;
  return {
    ...(reference === undefined ? {} : resolveName(reference, inside)),
    ...(rest as JsonSchema),
    ...(items === undefined ? {} : { items: resolve(items, inside) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: resolve(additionalProperties, inside) }),
    ...(isZero(value) ? {} : { default: value as Json }),
  };
}

function isZero(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || value === false || typeof value === 'object';
}
