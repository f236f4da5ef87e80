import { ownValue } from '#platform/base/own-value';
import type { Steps } from '#platform/base/steps';
import { isList, isObject, type JsonObject, sameJson } from '#platform/kube/patches/json-object';
import { assertDepth } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';
import { EMPTY, type FieldSet, unionNodes } from './field-set.ts';
import { isChunk, LARGE_NODE, largeNode, type NodeDraft } from './large-nodes.ts';
import { ItemFields, indexItems, itemElement, MemberFields } from './list-items.ts';
import { DEDUCED, LIST, type ListType, MAP, type MapType, SCALAR, shapesOf, type Type } from './type.ts';

/** Holds the paths at which two values differ: added or modified ones, and removed ones. */
export interface Difference {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

export const NO_DIFFERENCE: Difference = { changed: EMPTY, removed: EMPTY };

/** Compares two states of an object; members that `skip` names are ignored. */
export function changedFields(before: JsonObject, after: JsonObject, type: Type, skip: SkippedFields = {}): Difference {
  if (before === after || type.map === undefined) return NO_DIFFERENCE;
  const difference = compareMembers(before, after, type.map, 0, skip, Object.keys(before), Object.keys(after));
  return difference === undefined
    ? NO_DIFFERENCE
    : { changed: difference.changed ?? EMPTY, removed: difference.removed ?? EMPTY };
}

/** Members that are not compared: `true`, or the members below them. */
export interface SkippedFields {
  readonly [name: string]: true | SkippedFields;
}

interface Found {
  readonly changed: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

const CHANGED: Found = { changed: EMPTY, removed: undefined };

function compare(before: Json, after: Json, type: Type, depth: number, skip?: SkippedFields): Found | undefined {
  if (before === after) return undefined;
  assertDepth(depth);
  const old = shapesOf(type, before);
  const now = shapesOf(type, after);
  const found = compareAs(now, before, after, type, depth, skip);
  // A value of another shape differs in both: in what it was and in what it is.
  return old === now ? found : unite(compareAs(old, before, after, type, depth, skip), found);
}

function compareAs(
  shapes: number,
  before: Json,
  after: Json,
  type: Type,
  depth: number,
  skip: SkippedFields | undefined,
): Found | undefined {
  if ((shapes & MAP) !== 0) return compareMaps(before, after, type.map as MapType, depth, skip);
  if ((shapes & SCALAR) !== 0 || (shapes & LIST) === 0) return compareLeaves(before, after);
  return compareLists(before, after, type.list as ListType, depth);
}

function compareLeaves(before: Json, after: Json): Found | undefined {
  return sameJson(before, after) ? undefined : CHANGED;
}

function compareMaps(
  before: Json,
  after: Json,
  map: MapType,
  depth: number,
  skip: SkippedFields | undefined,
): Found | undefined {
  const old = isObject(before) ? before : {};
  const now = isObject(after) ? after : {};
  if (map.atomic) return compareLeaves(before, after);
  const oldNames = Object.keys(old);
  const names = Object.keys(now);
  if (oldNames.length === 0 && names.length === 0) return compareLeaves(before, after);
  return compareMembers(old, now, map, depth, skip, oldNames, names);
}

function compareMembers(
  before: JsonObject,
  after: JsonObject,
  map: MapType,
  depth: number,
  skip: SkippedFields | undefined,
  oldNames: readonly string[],
  names: readonly string[],
): Found | undefined {
  let changed: MemberFields | undefined;
  let removed: MemberFields | undefined;
  let kept = 0;
  for (const name of names) {
    const now = after[name] as Json;
    const isKept = Object.hasOwn(before, name);
    if (isKept) kept++;
    const old = isKept ? before[name] : undefined;
    if (now === old) continue;
    const skipped = skip?.[name];
    if (skipped === true) continue;
    const field = map.field(name);
    const element = field?.element ?? `f:${name}`;
    const type = field?.type ?? map.entries ?? DEDUCED;
    if (old === undefined) {
      (changed ??= new MemberFields(map)).add(element, allFields(now, type, depth + 1, skipped));
      continue;
    }
    const found = compare(old, now, type, depth + 1, skipped);
    if (found?.changed !== undefined) (changed ??= new MemberFields(map)).add(element, found.changed);
    if (found?.removed !== undefined) (removed ??= new MemberFields(map)).add(element, found.removed);
  }
  for (const name of kept === oldNames.length ? [] : oldNames) {
    if (Object.hasOwn(after, name)) continue;
    const skipped = skip?.[name];
    if (skipped === true) continue;
    const field = map.field(name);
    const type = field?.type ?? map.entries ?? DEDUCED;
    const fields = allFields(before[name] as Json, type, depth + 1, skipped);
    (removed ??= new MemberFields(map)).add(field?.element ?? `f:${name}`, fields);
  }
  return differences(changed?.toNode(false), removed?.toNode(false));
}

function compareLists(before: Json, after: Json, list: ListType, depth: number): Found | undefined {
  const old = isList(before) ? before : [];
  const now = isList(after) ? after : [];
  if (list.atomic || (old.length === 0 && now.length === 0)) return compareLeaves(before, after);
  // Most lists do not change, and checking that is cheaper than indexing them.
  if (sameJson(before, after)) return undefined;
  const oldItems = indexItems(list, old);
  const nowItems = indexItems(list, now);
  const changed = new ItemFields(list);
  const removed = new ItemFields(list);
  const at = (items: readonly Json[]) => (items.length === 1 ? (items[0] as Json) : undefined);
  const all = (item: Json) => allFields(item, list.items, depth + 1);
  for (const [element, items] of nowItems) {
    const former = oldItems.get(element) ?? [];
    const item = items[0] as Json;
    const one = at(items);
    const formerOne = at(former);
    if (one !== undefined && formerOne !== undefined) {
      const found = compare(formerOne, one, list.items, depth + 1);
      if (found?.changed !== undefined) changed.add(element, item, found.changed);
      if (found?.removed !== undefined) removed.add(element, item, found.removed);
    } else if (items.length > 1 && former.length > 1) {
      if (!sameJson(items, former)) changed.add(element, item, EMPTY);
    } else {
      // A duplicate item is owned as a whole; any other by its fields.
      changed.add(element, item, one === undefined ? EMPTY : all(one));
      if (former.length > 0) removed.add(element, item, formerOne === undefined ? EMPTY : all(formerOne));
    }
  }
  for (const [element, items] of oldItems) {
    if (nowItems.has(element)) continue;
    const item = items[0] as Json;
    removed.add(element, item, items.length > 1 ? EMPTY : all(item));
  }
  return differences(changed.toNode(false), removed.toNode(false));
}

/** Returns every path within a value that did not exist, including the value's own. */
function allFields(value: Json, type: Type, depth: number, skip?: SkippedFields): FieldSet {
  if (typeof value !== 'object' || value === null) return EMPTY;
  assertDepth(depth);
  const shapes = shapesOf(type, value);
  if ((shapes & MAP) !== 0) {
    const { map } = type;
    return map === undefined || map.atomic || !isObject(value) ? EMPTY : allMembers(value, map, depth, skip);
  }
  const { list } = type;
  if ((shapes & SCALAR) !== 0 || list === undefined || list.atomic || !isList(value)) return EMPTY;
  if (value.length > LARGE_NODE) return largeNode((draft) => fillItems(draft, value, list, depth));
  const items = new ItemFields(list);
  for (const item of value) items.add(itemElement(list, item), item, allFields(item, list.items, depth + 1));
  return items.toNode(true) as FieldSet;
}

function* fillItems(draft: NodeDraft, value: readonly Json[], list: ListType, depth: number): Steps<void> {
  const items = new ItemFields(list);
  for (const [i, item] of value.entries()) {
    if (isChunk(i)) yield;
    items.add(itemElement(list, item), item, allFields(item, list.items, depth + 1));
  }
  yield;
  yield* items.fill(draft, true);
}

function allMembers(value: JsonObject, map: MapType, depth: number, skip: SkippedFields | undefined): FieldSet {
  const names = Object.keys(value);
  if (names.length > LARGE_NODE) return largeNode((draft) => fillMembers(draft, names, value, map, depth, skip));
  const { members, elements } = map.plans.of(names, skip, map, DEDUCED);
  const fields: FieldSet[] = [];
  for (const member of members) {
    fields.push(allFields(value[member.name] as Json, member.type, depth + 1, member.skip));
  }
  return map.nodes.node(true, elements, fields) as FieldSet;
}

function* fillMembers(
  draft: NodeDraft,
  names: readonly string[],
  value: JsonObject,
  map: MapType,
  depth: number,
  skip: SkippedFields | undefined,
): Steps<void> {
  const members = new MemberFields(map);
  for (const [i, name] of names.entries()) {
    if (isChunk(i)) yield;
    const skipped = skip === undefined ? undefined : ownValue(skip, name);
    if (skipped === true) continue;
    const field = map.field(name);
    const type = field?.type ?? map.entries ?? DEDUCED;
    members.add(field?.element ?? `f:${name}`, allFields(value[name] as Json, type, depth + 1, skipped));
  }
  yield;
  yield* members.fill(draft, true);
}

function differences(changed: FieldSet | undefined, removed: FieldSet | undefined): Found | undefined {
  return changed === undefined && removed === undefined ? undefined : { changed, removed };
}

/** Unites the differences of two values with different shapes, which have no paths in common. */
function unite(a: Found | undefined, b: Found | undefined): Found | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return differences(uniteMaybe(a.changed, b.changed), uniteMaybe(a.removed, b.removed));
}

function uniteMaybe(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined ? (a ?? b) : unionNodes(a, b);
}
