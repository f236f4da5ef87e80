import type { Steps } from '#platform/base/steps';
import { isList, isObject, type JsonObject } from '#platform/kube/patches/json-object';
import { assertDepth } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';
import { EMPTY, type FieldSet } from './field-set.ts';
import { isChunk, LARGE_NODE, largeNode, type NodeDraft } from './large-nodes.ts';
import { ItemFields, itemElement, MemberFields } from './list-items.ts';
import { DEDUCED, LIST, type ListType, MAP, type MapType, SCALAR, shapesOf, type Type } from './type.ts';

/** Returns the fields that the applier of this object owns: leaves, list items, map entries, and explicit nulls. */
export function ownedFields(object: JsonObject, type: Type): FieldSet {
  return ownedIn(object, type, 0) ?? EMPTY;
}

/** Returns the owned fields of a value, including the value itself if it is a `member` of its container. */
function ownedIn(value: Json, type: Type, depth: number, member = false): FieldSet | undefined {
  assertDepth(depth);
  const shapes = shapesOf(type, value);
  if ((shapes & MAP) !== 0) return ownedInMap(value, type.map as MapType, depth, member);
  if ((shapes & SCALAR) !== 0) return EMPTY;
  return (shapes & LIST) === 0 ? EMPTY : ownedInList(value, type.list as ListType, depth, member);
}

function ownedInMap(value: Json, map: MapType, depth: number, member: boolean): FieldSet | undefined {
  if (map.atomic) return EMPTY;
  if (!isObject(value)) return member ? EMPTY : undefined;
  const names = Object.keys(value);
  if (names.length > LARGE_NODE) return largeNode((draft) => fillMembers(draft, names, value, map, depth, member));
  const members = new MemberFields(map);
  for (const name of names) addMember(members, name, value, map, depth);
  return members.toNode(member);
}

function addMember(members: MemberFields, name: string, value: JsonObject, map: MapType, depth: number): void {
  const item = value[name] as Json;
  const field = map.field(name);
  const member = field === undefined || isNothing(item);
  const owned = ownedIn(item, field?.type ?? map.entries ?? DEDUCED, depth + 1, member);
  if (owned !== undefined) members.add(field?.element ?? `f:${name}`, owned);
}

function* fillMembers(
  draft: NodeDraft,
  names: readonly string[],
  value: JsonObject,
  map: MapType,
  depth: number,
  member: boolean,
): Steps<void> {
  const members = new MemberFields(map);
  for (const [i, name] of names.entries()) {
    if (isChunk(i)) yield;
    addMember(members, name, value, map, depth);
  }
  yield;
  yield* members.fill(draft, member);
}

function ownedInList(value: Json, list: ListType, depth: number, member: boolean): FieldSet | undefined {
  if (list.atomic) return EMPTY;
  if (!isList(value)) return member ? EMPTY : undefined;
  if (value.length > LARGE_NODE) return largeNode((draft) => fillItems(draft, value, list, depth, member));
  const items = new ItemFields(list);
  for (const item of value) items.add(itemElement(list, item), item, ownedItem(item, list, depth));
  return items.toNode(member);
}

function* fillItems(
  draft: NodeDraft,
  value: readonly Json[],
  list: ListType,
  depth: number,
  member: boolean,
): Steps<void> {
  const items = new ItemFields(list);
  for (const [i, item] of value.entries()) {
    if (isChunk(i)) yield;
    items.add(itemElement(list, item), item, ownedItem(item, list, depth));
  }
  yield;
  yield* items.fill(draft, member);
}

function ownedItem(item: Json, list: ListType, depth: number): FieldSet {
  return ownedIn(item, list.items, depth + 1, true) ?? EMPTY;
}

function isNothing(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
