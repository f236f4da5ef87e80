import { isList, isObject, type JsonObject, type MutableObject, setMember } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { type FieldSet, hasChildren, isEmpty, isMember, node } from './field-set.ts';
import { itemElement } from './list-items.ts';
import { type PathElement, SELF } from './path-element.ts';
import { DEDUCED, LIST, type ListType, MAP, type MapType, SCALAR, shapesOf, type Type } from './type.ts';

/** Returns the object without the members of the set; values that lose all their members become null. */
export function removeFields(object: JsonObject, set: FieldSet, type: Type): JsonObject {
  return isEmpty(set) ? object : ((remove(object, set, type) ?? {}) as JsonObject);
}

function remove(value: Json, set: FieldSet, type: Type): Json {
  const shapes = shapesOf(type, value);
  if ((shapes & MAP) !== 0) return removeMembers(value, set, type.map as MapType);
  if ((shapes & SCALAR) !== 0 || (shapes & LIST) === 0) return value;
  return removeItems(value, set, type.list as ListType);
}

function removeMembers(value: Json, set: FieldSet, map: MapType): Json {
  if (!isObject(value) || map.atomic) return null;
  const result: MutableObject = {};
  let left = false;
  for (const name of Object.keys(value)) {
    const below = set[`f:${name}`];
    if (below !== undefined && isMember(below)) continue;
    const item = value[name] as Json;
    const type = map.field(name)?.type ?? map.entries ?? DEDUCED;
    setMember(result, name, below === undefined ? item : remove(item, below, type));
    left = true;
  }
  return left ? result : null;
}

function removeItems(value: Json, set: FieldSet, list: ListType): Json {
  if (!isList(value) || list.atomic) return null;
  const result: Json[] = [];
  for (const item of value) {
    const below = set[itemElement(list, item)];
    if (below !== undefined && isMember(below)) continue;
    result.push(below === undefined ? item : remove(item, below, list.items));
  }
  return result.length > 0 ? result : null;
}

/** Adds every declared field that leads to a member to the set: removing it removes the field. */
export function withNamedFields(set: FieldSet, type: Type): FieldSet {
  return nameFields(set, type, false) ?? set;
}

function nameFields(set: FieldSet, type: Type | undefined, member: boolean): FieldSet | undefined {
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const element in set) {
    if (element === SELF) continue;
    const child = set[element] as FieldSet;
    const field = element.startsWith('f:') ? type?.map?.field(element.slice(2)) : undefined;
    const below = element.startsWith('f:') ? (field?.type ?? type?.map?.entries) : type?.list?.items;
    const named = isMember(child) || (field !== undefined && hasChildren(child));
    elements.push(element);
    children.push(nameFields(child, below, named) ?? child);
  }
  return node(member, elements, children);
}

/** Adapts the set to the current schema: a value that is atomic now and was owned by its parts is owned as a whole. */
export function reconcileFields(set: FieldSet, type: Type): FieldSet {
  return reconcile(set, type, false) ?? set;
}

function reconcile(set: FieldSet, type: Type | undefined, member: boolean): FieldSet | undefined {
  // Schemas change rarely, so nothing is created before something differs.
  let changed: Map<PathElement, FieldSet> | undefined;
  for (const element in set) {
    const child = set[element] as FieldSet;
    if (element === SELF || !hasChildren(child)) continue;
    const below = element.startsWith('f:')
      ? (type?.map?.field(element.slice(2))?.type ?? type?.map?.entries)
      : type?.list?.items;
    const now = reconcileChild(child, below);
    if (now !== child) (changed ??= new Map()).set(element, now);
  }
  if (changed === undefined) return set;
  const elements = Object.keys(set).filter((element) => element !== SELF);
  return node(
    member,
    elements,
    elements.map((element) => changed.get(element) ?? (set[element] as FieldSet)),
  );
}

function reconcileChild(child: FieldSet, type: Type | undefined): FieldSet {
  if (type === undefined || type === DEDUCED) return child;
  const atomic = type.map?.atomic ?? (type.scalar === undefined && type.list?.atomic === true);
  if (atomic) return {};
  return reconcile(child, type, isMember(child)) ?? child;
}
