import { append } from '#platform/base/append';
import { child, type FieldError, invalid, key } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
import { compileCheck } from '#platform/structural/checks';
import { Cursor } from '#platform/structural/cursor';
import { compilePrune } from '#platform/structural/prune';
import { compileRules } from '#platform/structural/rules';
import { decodeObjectMeta } from '../../builtin-schema/decode.ts';
import { isSchema, itemsOf, type RawSchema } from './raw-schema.ts';

/** Rejects defaults that violate their own schema. Defaults of map values are neither validated nor applied. */
export function validateDefault(schema: RawSchema, path: string, root = true): FieldError[] {
  const causes: FieldError[] = [];
  if ((schema.default ?? null) !== null) {
    const resource = root || schema['x-kubernetes-embedded-resource'] === true;
    append(causes, validateOwn({ ...schema, 'x-kubernetes-embedded-resource': resource }, child(path, 'default')));
  }
  const items = itemsOf(schema);
  if (items !== undefined) append(causes, validateDefault(items, child(path, 'items'), false));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    append(causes, validateDefault(field, key(child(path, 'properties'), name), false));
  }
  return causes;
}

function validateOwn(schema: RawSchema, path: string): FieldError[] {
  const value = structuredClone(schema.default);
  const dropped: string[] = [];
  const checked = schema as JsonSchema;
  compilePrune(checked)?.(value, '', dropped);
  const causes = dropped.length === 0 ? [] : [invalid(path, schema.default, 'must not have unknown fields')];
  const meta = validateMeta(schema, schema.default, path);
  if (meta.length > 0) return [...causes, ...meta];
  const at = new Cursor();
  compileCheck(withoutListTypes(checked))(schema.default, at);
  // Rules expect values that match the schema.
  if (at.causes.length === 0 && dropped.length === 0) compileRules(checked)?.(schema.default, undefined, at);
  return [...causes, ...at.causes.map((cause) => ({ ...cause, field: child(path, cause.field).replace(/\.$/, '') }))];
}

/** Validates the metadata of embedded resources in a default. */
function validateMeta(schema: RawSchema, value: unknown, path: string): FieldError[] {
  if (!isSchema(value)) {
    const items = itemsOf(schema);
    if (items === undefined || !Array.isArray(value)) return [];
    return value.flatMap((item, i) => validateMeta(items, item, `${path}[${i}]`));
  }
  const causes: FieldError[] = [];
  if (schema['x-kubernetes-embedded-resource'] === true && value['metadata'] !== undefined) {
    const { error } = decodeObjectMeta(value['metadata']);
    if (error !== undefined) causes.push(invalid(child(path, 'metadata'), value['metadata'], error));
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    append(causes, validateMeta(field, value[name], child(path, name)));
  }
  return causes;
}

const SKIPPED = new Set(['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-int-or-string']);

/** Drops keywords that the API server ignores in defaults: list types and int-or-string. */
function withoutListTypes(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !SKIPPED.has(keyword));
  const copy = Object.fromEntries(kept) as { -readonly [K in keyof JsonSchema]: JsonSchema[K] };
  if (copy.items !== undefined) copy.items = withoutListTypes(copy.items);
  if (typeof copy.additionalProperties === 'object')
    copy.additionalProperties = withoutListTypes(copy.additionalProperties);
  if (copy.properties !== undefined) {
    const fields = Object.entries(copy.properties).map(([name, field]) => [name, withoutListTypes(field)] as const);
    copy.properties = Object.fromEntries(fields);
  }
  return copy;
}
