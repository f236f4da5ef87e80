import type { Json } from '#platform/schema/json-schema';
import { isList, isObject, type MutableObject, setMember } from './json-object.ts';
import { assertDepth } from './patch-error.ts';

/** Member of a patch that states what to do with the object that contains it. */
export const DIRECTIVE = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const ORDER_PREFIX = '$setElementOrder';
export const DELETE_PREFIX = '$deleteFromPrimitiveList';

function isDirective(key: string): boolean {
  return key === DIRECTIVE || key === RETAIN_KEYS || key.startsWith(ORDER_PREFIX) || key.startsWith(DELETE_PREFIX);
}

/**
 * Returns a value that is new to the target without nulls and directives, or undefined when a directive leaves nothing
 * of it. An object with any `$patch` is dropped, because it describes a change to something that does not exist.
 */
export function withoutDirectives(value: Json): Json | undefined {
  return clean(value, 1, true);
}

/** Returns an item that is new to a merged list without its directives, but with the values they are attached to. */
export function withoutDirectiveKeys(value: Json): Json {
  return clean(value, 1, false) ?? null;
}

function clean(value: Json, depth: number, drop: boolean): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  assertDepth(depth);
  if (isList(value)) {
    const list: Json[] = [];
    for (const item of value) {
      const cleaned = clean(item, depth + 1, drop);
      if (cleaned !== undefined) list.push(cleaned);
    }
    return list;
  }
  if (!isObject(value)) return value;
  if (drop && Object.hasOwn(value, DIRECTIVE)) return undefined;
  const result: MutableObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    if (item === null || isDirective(key)) continue;
    const cleaned = clean(item, depth + 1, drop);
    if (cleaned !== undefined) setMember(result, key, cleaned);
  }
  return result;
}
