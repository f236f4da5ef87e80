import type { Json } from '../../api/json-schema.ts';
import { isList, isObject, type JsonObject } from '../../kube/patches/json-object.ts';
import { assertDepth } from '../../kube/patches/patch-error.ts';
import { EMPTY, type FieldSet, node } from './field-set.ts';
import { ItemFields, itemElement, MemberFields } from './list-items.ts';
import { SELF } from './path-element.ts';
import { DEDUCED, LIST, type ListType, MAP, type MapType, SCALAR, shapesOf, type Type } from './type.ts';

/** The fields that whoever applies this object owns: leaves, items of lists, entries of maps, and explicit nothing. */
export function ownedFields(object: JsonObject, type: Type): FieldSet {
  return ownedIn(object, type, 0) ?? EMPTY;
}

function ownedIn(value: Json, type: Type, depth: number): FieldSet | undefined {
  assertDepth(depth);
  const shapes = shapesOf(type, value);
  if ((shapes & MAP) !== 0) return ownedInMap(value, type.map as MapType, depth);
  if ((shapes & SCALAR) !== 0) return EMPTY;
  return (shapes & LIST) === 0 ? EMPTY : ownedInList(value, type.list as ListType, depth);
}

function ownedInMap(value: Json, map: MapType, depth: number): FieldSet | undefined {
  if (map.atomic) return EMPTY;
  if (!isObject(value)) return undefined;
  const members = new MemberFields(map);
  for (const name of Object.keys(value)) {
    const item = value[name] as Json;
    const field = map.field(name);
    const fields = ownedIn(item, field?.type ?? map.entries ?? DEDUCED, depth + 1);
    const member = field === undefined || isNothing(item);
    const owned = member ? asMember(fields) : fields;
    if (owned !== undefined) members.add(field?.element ?? `f:${name}`, owned);
  }
  return members.toNode(false);
}

function ownedInList(value: Json, list: ListType, depth: number): FieldSet | undefined {
  if (list.atomic) return EMPTY;
  if (!isList(value)) return undefined;
  const items = new ItemFields(list);
  for (const item of value) items.add(itemElement(list, item), item, asMember(ownedIn(item, list.items, depth + 1)));
  return items.toNode(false);
}

function isNothing(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

function asMember(fields: FieldSet | undefined): FieldSet {
  if (fields === undefined) return EMPTY;
  const elements = Object.keys(fields).filter((element) => element !== SELF);
  return (
    node(
      true,
      elements,
      elements.map((element) => fields[element] as FieldSet),
    ) ?? EMPTY
  );
}
