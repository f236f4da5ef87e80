import type { Json } from '#platform/schema/json-schema';
import { goPrint, goPrintString } from './go-print.ts';
import { isList, isObject, type JsonObject, member } from './json-object.ts';
import { DIRECTIVE, ORDER_PREFIX, withoutDirectiveKeys } from './patch-directives.ts';
import { PatchError } from './patch-error.ts';
import type { PatchField } from './patch-schema.ts';

type List = readonly Json[];
/** Merges the patch of an item into the item. */
type MergeItem = (item: JsonObject, change: JsonObject) => JsonObject;

/** Merges the patch of a list into the list. With `deletes`, the patch names the scalars to delete. */
export function mergeList(current: List, change: List, mergeKey: string, deletes: boolean, mergeItem: MergeItem): List {
  if (current.length === 0 && change.length === 0) return current;
  if (holdsMaps(current, change)) return mergeMaps(current, change, mergeKey, mergeItem);
  if (deletes) {
    const gone = new Set(change);
    return current.filter((item) => !gone.has(item));
  }
  const identity = (item: Json) => item;
  return interleave([...new Set([...current, ...change])], change, current, identity);
}

/** Returns the list in the order of `$setElementOrder`, or undefined when there is neither a list nor a patch of it. */
export function orderList(
  current: List | undefined,
  change: List | undefined,
  order: List,
  field: PatchField,
  mergeItem: MergeItem,
): List | undefined {
  const { mergeKey } = field;
  checkOrder(change ?? [], order, mergeKey);
  if (current === undefined && change === undefined) return undefined;
  let merged = change ?? current ?? [];
  if (current !== undefined && change !== undefined) {
    merged = field.strategy === 'merge' ? mergeList(current, change, mergeKey, false, mergeItem) : change;
  }
  if (!holdsMaps(current ?? [], change ?? [])) {
    return interleave(merged, order, current ?? [], (item) => item);
  }
  // The server fails here by accident. An order needs a key to identify items.
  if (mergeKey === '') throw new PatchError('', 'cannot merge lists without merge key for type struct');
  const before = formerOrder(current ?? [], change ?? [], mergeKey);
  const sorted = interleave(merged, order, before, (item) => keyOf(item, mergeKey));
  const kept = sorted.filter((item) => !isDeletion(item));
  return [...kept, ...sorted.filter(isDeletion)].map((item) => (change === merged ? withoutDirectiveKeys(item) : item));
}

/**
 * Returns the order of the list before the patch as the server sees it. It merges in place, so new items take the
 * positions of deleted ones and count as existing before.
 */
function formerOrder(current: List, change: List, mergeKey: string): List {
  const deleted = new Set(change.filter(isDeletion).map((item) => keyOf(item, mergeKey)));
  const kept = current.filter((item) => !deleted.has(keyOf(item, mergeKey)));
  const known = new Set(kept.map((item) => keyOf(item, mergeKey)));
  const added = change.filter((item) => !Object.hasOwn(asMap(item), DIRECTIVE) && !known.has(keyOf(item, mergeKey)));
  return [...kept, ...added].slice(0, current.length);
}

function mergeMaps(current: List, change: List, mergeKey: string, mergeItem: MergeItem): List {
  if (mergeKey === '') throw new PatchError('', 'cannot merge lists without merge key for type struct');
  const gone = new Set<Json>();
  let replaces = false;
  const items: JsonObject[] = [];
  for (const item of change as readonly JsonObject[]) {
    const directive = member(item, DIRECTIVE);
    if (directive === undefined) {
      items.push(item);
    } else if (directive === 'delete') {
      gone.add(keyOf(item, mergeKey));
    } else if (directive === 'replace') {
      replaces = true;
    } else if (directive === 'merge') {
      throw new PatchError('', 'merging lists cannot yet be specified in the patch');
    } else {
      throw new PatchError('', `unknown patch type: ${goPrintString(directive)} in map: ${goPrint(item)}`);
    }
  }
  if (replaces) {
    const list = items.map((item) => withoutDirectiveKeys(item));
    return interleave(list, [], list, (item) => keyOf(item, mergeKey));
  }
  const kept = current.filter((other) => !isObject(other) || !gone.has(member(other, mergeKey) as Json));
  const merged = [...kept];
  const places = new Map<Json | undefined, number>();
  for (const [at, other] of merged.entries()) {
    if (isObject(other) && !places.has(member(other, mergeKey))) places.set(member(other, mergeKey), at);
  }
  for (const item of items) {
    const key = keyOf(item, mergeKey);
    const at = places.get(key);
    if (at === undefined) places.set(key, merged.push(withoutDirectiveKeys(item)) - 1);
    else merged[at] = mergeItem(merged[at] as JsonObject, item);
  }
  return interleave(merged, items, kept, (item) => keyOf(item, mergeKey));
}

/**
 * Puts the items that `order` names into that order and keeps the others in the order of `before`. Relative to each
 * other they stay as in `before`, as far as both orders allow.
 */
function interleave(items: List, order: List, before: List, key: (item: Json) => Json): List {
  const desired = ranks(order, key);
  const former = ranks(before, key);
  const named = sortedBy(
    items.filter((item) => desired.has(key(item))),
    (item) => desired.get(key(item)),
  );
  const others = sortedBy(
    items.filter((item) => !desired.has(key(item))),
    (item) => former.get(key(item)),
  );
  const result: Json[] = [];
  let next = 0;
  for (const item of named) {
    const rank = former.get(key(item)) ?? -1;
    for (; next < others.length; next++) {
      const other = others[next] as Json;
      if ((former.get(key(other)) ?? rank) >= rank) break;
      result.push(other);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function ranks(list: List, key: (item: Json) => Json): Map<Json, number> {
  const result = new Map<Json, number>();
  for (const [at, item] of list.entries()) if (!result.has(key(item))) result.set(key(item), at);
  return result;
}

/**
 * Sorts by rank. As in the server's sort, an item without a rank ends up right before the lowest-ranked item that
 * preceded it, or last if there is none.
 */
function sortedBy(items: readonly Json[], rank: (item: Json) => number | undefined): Json[] {
  const ranked: { readonly item: Json; readonly rank: number }[] = [];
  const before = new Map<number, Json[]>();
  let lowest = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const own = rank(item);
    if (own !== undefined) {
      ranked.push({ item, rank: own });
      lowest = Math.min(lowest, own);
    } else if (before.get(lowest)?.push(item) === undefined) before.set(lowest, [item]);
  }
  ranked.sort((a, b) => a.rank - b.rank);
  const result: Json[] = [];
  const fill = (at: number): void => {
    for (const item of before.get(at)?.toReversed() ?? []) result.push(item);
    before.delete(at);
  };
  for (const { item, rank: own } of ranked) {
    fill(own);
    result.push(item);
  }
  fill(Number.POSITIVE_INFINITY);
  return result;
}

/** Checks that a patch does not contradict the order that comes with it. */
function checkOrder(change: List, order: List, mergeKey: string): void {
  if (order.length === 0 || change.length === 0) return;
  let next = 0;
  const items = mergeKey === '' ? change : change.filter((item) => !isDeletion(asMap(item)));
  for (const desired of order) {
    while (next < items.length && isObject(items[next]) && Object.hasOwn(items[next] as JsonObject, DIRECTIVE)) next++;
    if (next >= items.length) return;
    const item = items[next] as Json;
    const same = mergeKey === '' ? item === desired : keyOf(item, mergeKey) === keyOf(asMap(desired), mergeKey);
    if (same) next++;
  }
  if (next < items.length) {
    throw new PatchError(
      '',
      `The order in patch list:\n${goPrint(change)}\n doesn't match ${ORDER_PREFIX} list:\n${goPrint(order)}\n`,
    );
  }
}

/** Reports whether the items of both lists are maps. Lists may not mix types. */
function holdsMaps(current: List, change: List): boolean {
  const all = [...current, ...change];
  const kind = kindOf(all[0]);
  if (kind === 'list') throw new PatchError('BadRequest', 'lists of lists are not supported');
  if (all.some((item) => kindOf(item) !== kind)) {
    throw new PatchError('', `list element types are not identical: ${goPrint([current, change])}`);
  }
  return kind === 'object';
}

function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  return isList(value) ? 'list' : typeof value;
}

function asMap(item: Json): JsonObject {
  if (isObject(item)) return item;
  throw new PatchError('', `expected a map[string]interface {}, but received a ${kindOf(item)}`);
}

function keyOf(item: Json, mergeKey: string): Json {
  const map = asMap(item);
  const key = member(map, mergeKey);
  if (key !== undefined) return key;
  throw new PatchError('', `map: ${goPrint(map)} does not contain declared merge key: ${mergeKey}`);
}

function isDeletion(item: Json): boolean {
  return isObject(item) && member(item, DIRECTIVE) === 'delete';
}
