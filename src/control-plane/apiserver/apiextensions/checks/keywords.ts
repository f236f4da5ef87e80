import { append } from '#platform/base/append';
import { child, type FieldError, forbidden, index, invalid, key, notSupported } from '#platform/base/field-error';
import { validateListType, validateMapType } from './list-types.ts';
import { isSchema, itemsOf, mapValuesOf, type RawSchema } from './raw-schema.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const META_FIELDS = new Set(['metadata', 'kind', 'apiVersion']);

/** Position of a schema in the whole. */
interface Place {
  readonly path: string;
  readonly root: boolean;
  /** True in the kind, the apiVersion or the metadata of a resource. */
  readonly insideMeta: boolean;
  /** Reason why a default is not allowed here. */
  readonly noDefault?: string;
}

/** Rejects keywords that CRDs must not use, or not with this value. */
export function validateKeyword(schema: RawSchema, path: string): FieldError[] {
  return causesAt(schema, { path, root: true, insideMeta: false });
}

function causesAt(schema: RawSchema, place: Place): FieldError[] {
  return [
    ...validateOwn(schema, place),
    ...validateMap(schema, place),
    ...validateField(schema, place),
    ...validatePart(schema, place),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [invalid(child(place.path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined')]
      : []),
    ...validateMapType(schema, place.path),
    ...validateListType(schema, place.path),
  ];
}

const inside = (place: Place, path: string): Place => ({ ...place, path, root: false });
const has = (part: object | undefined): boolean => part !== undefined && Object.keys(part).length > 0;

function validateOwn(schema: RawSchema, { path, insideMeta, noDefault }: Place): FieldError[] {
  const causes: FieldError[] = [];
  const { type = '' } = schema;
  const refuse = (keyword: string, detail = `${keyword} is not supported`): number =>
    causes.push(forbidden(child(path, keyword), detail));
  if (type !== '' && !TYPES.includes(type)) causes.push(notSupported(child(path, 'type'), type, TYPES));
  if (noDefault !== undefined && (schema.default ?? null) !== null) refuse('default', `must not be set ${noDefault}`);
  if (schema.id) refuse('id');
  if (schema.additionalItems !== undefined) refuse('additionalItems');
  if (has(schema.patternProperties)) refuse('patternProperties');
  if (has(schema.definitions)) refuse('definitions');
  if (schema.dependencies !== undefined) refuse('dependencies');
  if (schema.$ref !== undefined) refuse('$ref');
  if (type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    refuse('items', 'items must be a schema object and not an array');
  }
  if (insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  if (schema.uniqueItems === true) {
    refuse('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  return causes;
}

function validateMap(schema: RawSchema, place: Place): FieldError[] {
  if (schema.additionalProperties === undefined) return [];
  const path = child(place.path, 'additionalProperties');
  const causes: FieldError[] = [];
  if (has(schema.properties) && schema.additionalProperties !== true) {
    causes.push(forbidden(path, 'additionalProperties and properties are mutual exclusive'));
  }
  const values = mapValuesOf(schema);
  if (values === undefined) return causes;
  const noDefault = 'inside additionalProperties applying to object metadata';
  return [...causes, ...causesAt(values, { ...inside(place, path), ...(place.insideMeta ? { noDefault } : {}) })];
}

function validateField(schema: RawSchema, place: Place): FieldError[] {
  const resource = place.root || schema['x-kubernetes-embedded-resource'] === true;
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = inside(place, key(child(place.path, 'properties'), name));
    if (!resource || !META_FIELDS.has(name)) return causesAt(field, at);
    return causesAt(field, {
      ...at,
      insideMeta: true,
      ...(place.root ? { noDefault: `in top-level ${name}` } : {}),
    });
  });
}

function validatePart(schema: RawSchema, place: Place): FieldError[] {
  const causes: FieldError[] = [];
  const below = (part: unknown, path: string): void => {
    if (isSchema(part)) append(causes, causesAt(part, inside(place, path)));
  };
  const { path } = place;
  below(schema.not, child(path, 'not'));
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, part] of (schema[name] ?? []).entries()) below(part, index(child(path, name), i));
  }
  for (const [name, part] of Object.entries(schema.definitions ?? {}))
    below(part, key(child(path, 'definitions'), name));
  below(itemsOf(schema), child(path, 'items'));
  if (Array.isArray(schema.items)) {
    for (const [i, part] of schema.items.entries()) below(part, index(child(path, 'items'), i));
  }
  for (const [name, part] of Object.entries(schema.dependencies ?? {})) {
    below(part, key(child(path, 'dependencies'), name));
  }
  return causes;
}
