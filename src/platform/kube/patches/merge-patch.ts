import type { Json } from '#platform/schema/json-schema';
import { copyMembers, isList, isObject, type JsonObject, type MutableObject, setMember } from './json-object.ts';
import { assertDepth, PatchError } from './patch-error.ts';

/**
 * Applies a JSON merge patch (RFC 7386) and returns the result. Neither argument changes; parts that the patch does
 * not touch are shared with the target, and a patch that changes nothing returns the target itself.
 *
 * As in Kubernetes, nulls are also dropped inside lists of the patch, except where the list takes the place of an
 * object.
 */
export function applyMergePatch(target: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch)) throw notAnObject(patch);
  return mergeObject(target, patch, 1);
}

function mergeObject(target: JsonObject, patch: JsonObject, depth: number): JsonObject {
  assertDepth(depth);
  let result: MutableObject | undefined;
  for (const key of Object.keys(patch)) {
    const change = patch[key] as Json;
    const has = Object.hasOwn(target, key);
    if (change === null) {
      if (has) delete (result ??= copyMembers(target))[key];
      continue;
    }
    const current = has ? (target[key] as Json) : undefined;
    const next = mergeValue(current, change, depth);
    if (next !== current) setMember((result ??= copyMembers(target)), key, next);
  }
  return result ?? target;
}

function mergeValue(current: Json | undefined, change: Json, depth: number): Json {
  if (typeof change !== 'object') return change;
  if (!isObject(current)) return withoutNulls(change, depth + 1);
  return isObject(change) ? mergeObject(current, change, depth + 1) : change;
}

/** Returns a value that is new to the target without null members. It is shared if it has none. */
export function withoutNulls(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  assertDepth(depth);
  if (isList(value)) {
    let list: Json[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json;
      const clean = withoutNulls(item, depth + 1);
      if (clean !== item) (list ??= value.slice())[i] = clean;
    }
    return list ?? value;
  }
  let result: MutableObject | undefined;
  for (const key of Object.keys(value)) {
    const item = value[key] as Json;
    if (item === null) {
      delete (result ??= copyMembers(value))[key];
      continue;
    }
    const clean = withoutNulls(item, depth + 1);
    if (clean !== item) setMember((result ??= copyMembers(value)), key, clean);
  }
  return result ?? value;
}

function notAnObject(patch: Json): PatchError {
  if (patch === null) return new PatchError('BadRequest', 'Invalid JSON Patch');
  const type = isList(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
  return new PatchError(
    'BadRequest',
    `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}
