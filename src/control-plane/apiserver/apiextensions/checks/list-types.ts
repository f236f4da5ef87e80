import { append } from '#platform/base/append';
import { child, type FieldError, forbidden, invalid, key, notSupported, required } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import { itemsOf, type RawSchema } from './raw-schema.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const KEYS = 'x-kubernetes-list-map-keys';

export function validateMapType(schema: RawSchema, path: string): FieldError[] {
  const mapType = schema[MAP_TYPE];
  if (mapType === undefined) return [];
  const causes = wrongType(schema, path, 'object', MAP_TYPE);
  if (mapType !== 'atomic' && mapType !== 'granular') {
    causes.push(notSupported(child(path, MAP_TYPE), mapType, ['atomic', 'granular']));
  }
  return causes;
}

function wrongType(schema: RawSchema, path: string, desired: string, extension: string): FieldError[] {
  const { type = '' } = schema;
  if (type === desired) return [];
  const detail = `must be ${desired} if ${extension} is specified`;
  const at = child(path, 'type');
  return [type === '' ? required(at, detail) : invalid(at, type, detail)];
}

/** Validates mergeable lists: the types of their items, and the keys that identify them. */
export function validateListType(schema: RawSchema, path: string): FieldError[] {
  const listType = schema[LIST_TYPE];
  const keys = schema[KEYS] ?? [];
  const causes: FieldError[] = [];
  if (listType !== undefined) {
    const wrong = wrongType(schema, path, 'array', LIST_TYPE);
    append(causes, wrong.length === 0 && listType === 'set' ? validateSet(schema, path) : wrong);
    if (!['atomic', 'set', 'map'].includes(listType)) {
      causes.push(notSupported(child(path, LIST_TYPE), listType, ['atomic', 'set', 'map']));
    }
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = child(path, LIST_TYPE);
    causes.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === 'map') append(causes, validateMap(schema, path, keys));
  if (listType === 'map' || listType === 'set') append(causes, validateNull(schema, path, listType, keys));
  return causes;
}

/** Requires items of a set to be compared as a whole. */
function validateSet(schema: RawSchema, path: string): FieldError[] {
  const items = itemsOf(schema);
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const inner = items?.[LIST_TYPE];
  const at = child(path, 'items');
  if (items?.type === 'array' && inner !== undefined && inner !== 'atomic') {
    return [invalid(child(at, LIST_TYPE), inner, detail)];
  }
  if (items?.type !== 'object' || items[MAP_TYPE] === 'atomic') return [];
  return [invalid(child(at, MAP_TYPE), inner ?? null, detail)];
}

function validateMap(schema: RawSchema, path: string, keys: readonly string[]): FieldError[] {
  const causes: FieldError[] = [];
  const items = itemsOf(schema);
  const itemsPath = child(path, 'items');
  if (keys.length === 0) {
    causes.push(required(child(path, KEYS), 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (schema.items === undefined) {
    causes.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
  }
  if (items === undefined) return causes;
  const { type = '' } = items;
  if (type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...causes, invalid(child(itemsPath, 'type'), type, detail)];
  }
  const seen = new Set<string>();
  for (const name of keys) {
    const field = ownValue(items.properties ?? {}, name);
    if (field === undefined) {
      causes.push(invalid(child(path, KEYS), keys, 'entries must all be names of item properties'));
    } else if (field.type === 'array' || field.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      // The API server prints the type of the item here, not that of the field.
      causes.push(invalid(child(key(child(itemsPath, 'properties'), name), 'type'), type, detail));
    }
    if (seen.has(name)) causes.push(invalid(child(path, KEYS), keys, 'must not contain duplicate entries'));
    seen.add(name);
  }
  return causes;
}

/** Requires the keys that identify items to be always present. */
function validateNull(schema: RawSchema, path: string, listType: string, keys: readonly string[]): FieldError[] {
  const items = itemsOf(schema);
  if (items === undefined) return [];
  const causes: FieldError[] = [];
  const itemsPath = child(path, 'items');
  if (items.nullable === true) {
    causes.push(
      forbidden(child(itemsPath, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  for (const name of listType === 'map' ? keys : []) {
    const field = ownValue(items.properties ?? {}, name);
    if (field === undefined) continue;
    const at = key(child(itemsPath, 'properties'), name);
    if (items.required?.includes(name) !== true && (field.default ?? null) === null) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      causes.push(required(child(at, 'default'), detail));
    }
    if (field.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      causes.push(forbidden(child(at, 'nullable'), detail));
    }
  }
  return causes;
}
