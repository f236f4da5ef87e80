import { append } from '#platform/base/append';
import {
  child,
  type FieldError,
  forbidden,
  formatFieldError,
  invalid,
  key,
  required,
} from '#platform/base/field-error';
import { validateCompleteness } from './completeness.ts';
import { validatePart } from './nested.ts';
import { itemsOf, mapValuesOf, type RawSchema } from './raw-schema.ts';

export type SchemaLevel = 'root' | 'item' | 'field';

const UNTYPED: Readonly<Record<SchemaLevel, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * Requires a structural schema: every field has one type that is specified outside of allOf and the like. The causes
 * are sorted by their text.
 */
export function validateStructural(schema: RawSchema, path: string): FieldError[] {
  const causes = [...validateInvariant(schema, 'root', path), ...validateCompleteness(schema, path)];
  const texts = new Map(causes.map((cause) => [cause, formatFieldError(cause)]));
  const textOf = (cause: FieldError): string => texts.get(cause) ?? '';
  return causes.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function validateInvariant(schema: RawSchema, level: SchemaLevel, path: string): FieldError[] {
  const items = itemsOf(schema);
  const values = mapValuesOf(schema);
  const itemsPath = child(path, 'items');
  const causes: FieldError[] = [];
  if (schema.type === 'array' && items === undefined) causes.push(required(itemsPath, 'must be specified'));
  if (items !== undefined) append(causes, validateInvariant(items, 'item', itemsPath));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    append(causes, validateInvariant(field, 'field', key(child(path, 'properties'), name)));
  }
  if (schema.additionalProperties !== undefined && level === 'root') {
    causes.push(forbidden(child(path, 'additionalProperties'), 'must not be used at the root'));
  }
  if (values !== undefined) append(causes, validateInvariant(values, 'field', child(path, 'additionalProperties')));
  return [
    ...causes,
    ...validateExtension(schema, path),
    ...validatePart(schema, path, schema),
    ...validateType(schema, level, path),
    ...validateResource(schema, level, path),
  ];
}

function validateExtension(schema: RawSchema, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((name) => schema[name] === true)
    .map((name) => invalid(child(path, name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

function validateType(schema: RawSchema, level: SchemaLevel, path: string): FieldError[] {
  const { type = '' } = schema;
  const typePath = child(path, 'type');
  const causes: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const open = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    causes.push(type === '' ? required(typePath, detail) : invalid(typePath, type, detail));
  } else if (type === '' && !open) causes.push(required(typePath, UNTYPED[level]));
  if (embedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    causes.push(forbidden(child(path, 'additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    causes.push(invalid(typePath, type, 'must be object at the root'));
  }
  return causes;
}

/** Validates the kind, the apiVersion and the metadata of a resource, whose types are fixed. */
function validateResource(schema: RawSchema, level: SchemaLevel, path: string): FieldError[] {
  const { properties = {} } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const resource = level === 'root' || embedded;
  const causes: FieldError[] = [];
  const at = (name: string): string => key(child(path, 'properties'), name);
  for (const name of resource ? ['kind', 'apiVersion'] : []) {
    const { type = '' } = properties[name] ?? { type: 'string' };
    if (type !== 'string') causes.push(invalid(child(at(name), 'type'), type, 'must be string'));
  }
  const { metadata } = properties;
  if (metadata !== undefined && resource && metadata.type !== 'object') {
    causes.push(invalid(child(at('metadata'), 'type'), metadata.type ?? '', 'must be object'));
  }
  if (metadata !== undefined && level === 'root' && !saysOnlyNames(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    causes.push(forbidden(at('metadata'), detail));
  }
  if (embedded && schema['x-kubernetes-preserve-unknown-fields'] !== true && Object.keys(properties).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    causes.push(required(child(path, 'properties'), detail));
  }
  return causes;
}

const FREE = new Set(['type', 'default', 'properties', 'example']);
const isUnset = (value: unknown): boolean =>
  value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);

function saysOnlyNames(metadata: RawSchema): boolean {
  if (Object.entries(metadata).some(([keyword, value]) => !FREE.has(keyword) && !isUnset(value))) return false;
  return Object.keys(metadata.properties ?? {}).every((name) => name === 'name' || name === 'generateName');
}
