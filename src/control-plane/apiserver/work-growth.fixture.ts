import { decodeBuiltIn } from './builtin-schema/decode.ts';
import { schemaNameOf } from './builtin-schema/kinds.ts';
import { isMessage, type MessageField, messageNameOf, messageShape } from './builtin-schema/message-shape.ts';
import { apiVersionOf, type Resource } from './resource.ts';

/** Locates a list or map in objects of a built-in kind. */
export interface ListPlace {
  /** Fields that lead to it; those before the last hold one value, or a list of one. */
  readonly path: readonly MessageField[];
}

const MAX_DEPTH = 5;

/** Returns all lists and maps that objects of a kind may have, except those nested deep inside items of others. */
export function listsOf(resource: Resource): ListPlace[] {
  const schema = schemaNameOf(apiVersionOf(resource), resource.kind);
  const message = schema === undefined ? '' : messageNameOf(schema);
  return isMessage(message) ? listsIn(message, []) : [];
}

function listsIn(message: string, path: readonly MessageField[]): ListPlace[] {
  if (path.length >= MAX_DEPTH) return [];
  const places: ListPlace[] = [];
  const { byJson, inlined } = messageShape(message);
  for (const field of [...byJson.values(), ...inlined.flatMap(({ type }) => [...messageShape(type).byJson.values()])]) {
    const here = [...path, field];
    if (field.container !== 'one') places.push({ path: here });
    const known = path.some(({ type }) => type === field.type);
    if (!field.scalar && field.container !== 'map' && !known) places.push(...listsIn(field.type, here));
  }
  return places;
}

/** Returns the name of a location for messages, such as spec.containers.env. */
export const placeName = ({ path }: ListPlace): string => path.map(({ json }) => json).join('.');

/** Distinguishes locations that are not the same list of the same message. */
export const lastFields = ({ path }: ListPlace): string =>
  path
    .slice(-2)
    .map(({ json, type }) => `${json} ${type}`)
    .join(' ');

/** Returns an object of the kind with `count` distinct, unsorted entries at one location. */
export function objectWith(resource: Resource, { path }: ListPlace, count: number): Record<string, unknown> {
  const object: Record<string, unknown> = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name: 'grown', ...(resource.namespaced ? { namespace: 'default' } : {}) },
  };
  let holder = object;
  for (const [depth, field] of path.entries()) {
    if (depth === path.length - 1) holder[field.json] = entriesOf(field, count);
    else {
      // Items are distinguished by their keys.
      const keys = field.container === 'list' ? messageOf(field.type, 0) : {};
      const next = (holder[field.json] ?? keys) as Record<string, unknown>;
      holder[field.json] = field.container === 'list' ? [next] : next;
      holder = next;
    }
  }
  return object;
}

function entriesOf(field: MessageField, count: number): unknown {
  const at = (i: number) => (i * 7919) % count;
  const values = Array.from({ length: count }, (_, i) => valueOf(field.type, at(i)));
  if (field.container === 'list') return values;
  return Object.fromEntries(values.map((value, i) => [`key-${at(i)}`, value]));
}

/** Returns a distinct value; omits what a special type does not accept. */
function valueOf(type: string, i: number): unknown {
  switch (type) {
    case 'string':
      return `value-${i}`;
    case 'bytes':
      return Buffer.from(String(i)).toString('base64');
    case 'bool':
      return i % 2 === 0;
    case 'int32':
    case 'int64':
    case 'double':
      return i;
    default:
      return messageOf(type, i);
  }
}

function messageOf(type: string, i: number): unknown {
  if (type.endsWith('.Quantity')) return `${i}`;
  if (type.endsWith('.IntOrString')) return i;
  if (type.endsWith('.ManagedFieldsEntry')) {
    const fieldsV1 = { 'f:metadata': { 'f:labels': { [`f:label-${i}`]: {} } } };
    return { manager: `m-${i}`, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
  }
  const scalars = [...messageShape(type).byJson.values()].filter(
    ({ container, scalar }) => scalar && container === 'one',
  );
  return Object.fromEntries(scalars.map((field) => [field.json, valueOf(field.type, i)]));
}

/**
 * Reports whether objects with entries at this location can be decoded; some types accept only strings of a certain
 * form.
 */
export function isReadable(resource: Resource, place: ListPlace): boolean {
  const { apiVersion, kind } = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return decodeBuiltIn(apiVersion, kind, objectWith(resource, place, 2))?.error === undefined;
}
