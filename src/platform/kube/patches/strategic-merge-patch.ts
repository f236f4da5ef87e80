import type { Json } from '#platform/schema/json-schema';
import { goPrint, goPrintString, goType } from './go-print.ts';
import {
  copyMembers,
  isList,
  isObject,
  type JsonObject,
  type MutableObject,
  member,
  setMember,
} from './json-object.ts';
import { mergeList, orderList } from './list-merge.ts';
import { DELETE_PREFIX, DIRECTIVE, ORDER_PREFIX, RETAIN_KEYS, withoutDirectives } from './patch-directives.ts';
import { assertDepth, PatchError } from './patch-error.ts';
import type { PatchField, PatchSchema } from './patch-schema.ts';

/**
 * Applies a strategic merge patch as the API server does for its built-in kinds and returns the result. Neither
 * argument changes; parts that the patch does not touch are shared with the target.
 */
export function applyStrategicMergePatch(target: JsonObject, patch: Json, schema: PatchSchema): JsonObject {
  if (patch === null) return target;
  if (!isObject(patch)) {
    const type = isList(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    throw new PatchError('BadRequest', `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  }
  return mergeMap(target, patch, schema, 1);
}

/** Merges a patch into an object. A `$patch` in the patch applies to all of it. */
function mergeMap(target: JsonObject, patch: JsonObject, schema: PatchSchema, depth: number): JsonObject {
  assertDepth(depth);
  const directive = member(patch, DIRECTIVE);
  if (directive !== undefined) return applyDirective(directive, patch);
  const merging = new MapMerge(target, patch, schema, depth);
  merging.retainKeys();
  for (const key of Object.keys(patch)) if (key.startsWith(ORDER_PREFIX)) merging.order(key);
  for (const key of Object.keys(patch)) merging.merge(key);
  return merging.result ?? target;
}

function applyDirective(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') {
    throw new PatchError('', `unknown patch type: ${goPrintString(directive)} in map: ${goPrint(patch)}`);
  }
  const { [DIRECTIVE]: _, ...rest } = patch;
  return rest;
}

/** Merge of one object, which is copied on the first change. */
class MapMerge {
  result: MutableObject | undefined;
  readonly #target: JsonObject;
  readonly #patch: JsonObject;
  readonly #schema: PatchSchema;
  readonly #depth: number;
  /** Lists that their order directive has already merged. */
  readonly #done = new Set<string>();

  constructor(target: JsonObject, patch: JsonObject, schema: PatchSchema, depth: number) {
    this.#target = target;
    this.#patch = patch;
    this.#schema = schema;
    this.#depth = depth;
  }

  /** Drops the keys that `$retainKeys` does not name. A patch may not set more than it names. */
  retainKeys(): void {
    const keys = member(this.#patch, RETAIN_KEYS);
    if (keys === undefined) return;
    if (!isList(keys)) throw badFormat('retainKeys');
    const retained = new Set(keys);
    for (const key of Object.keys(this.#patch)) {
      if (key === RETAIN_KEYS || key.startsWith(DELETE_PREFIX) || key.startsWith(ORDER_PREFIX)) continue;
      if (this.#patch[key] !== null && !retained.has(key)) throw badFormat('retainKeys');
    }
    for (const key of Object.keys(this.#target)) if (!retained.has(key)) this.#delete(key);
  }

  /** Applies `$setElementOrder/x`, the order of list x, merged with its patch if there is one. */
  order(directive: string): void {
    const order = this.#patch[directive] as Json;
    if (!isList(order)) throw badType('[]interface {}', order);
    const key = listOf(directive, ORDER_PREFIX, 'setElementOrder list');
    const current = this.#get(key);
    const change = member(this.#patch, key);
    if (current !== undefined && !isList(current)) throw badType('[]interface {}', current);
    if (change !== undefined && !isList(change)) throw badType('[]interface {}', change);
    const field = this.#field(key);
    const merged = orderList(current, change, order, field, this.#mergeItem(field));
    if (merged === undefined) return;
    this.#set(key, merged);
    this.#done.add(key);
  }

  merge(patchKey: string): void {
    if (patchKey === RETAIN_KEYS || patchKey.startsWith(ORDER_PREFIX) || this.#done.has(patchKey)) return;
    const change = this.#patch[patchKey] as Json;
    const deletes = patchKey.startsWith(DELETE_PREFIX);
    const key = deletes ? listOf(patchKey, DELETE_PREFIX, 'primitive list') : patchKey;
    if (change === null) return this.#delete(key);
    const current = this.#get(key);
    if (isObject(current) && isObject(change)) {
      const field = this.#field(key);
      if (field.strategy === 'replace') this.#set(key, change);
      else this.#set(key, mergeMap(current, change, field.schema, this.#depth + 1));
    } else if (isList(current) && isList(change)) {
      const field = this.#field(key);
      if (field.strategy !== 'merge' && !deletes) this.#set(key, change);
      else this.#set(key, mergeList(current, change, field.mergeKey, deletes, this.#mergeItem(field)));
    } else if (!deletes) {
      const value = withoutDirectives(change);
      if (value === undefined) this.#delete(key);
      else this.#set(key, value);
    }
  }

  #mergeItem(field: PatchField): (item: JsonObject, change: JsonObject) => JsonObject {
    return (item, change) => mergeMap(item, change, field.schema, this.#depth + 1);
  }

  #field(key: string): PatchField {
    const field = this.#schema.field(key);
    if (field !== undefined) return field;
    throw new PatchError(
      '',
      `unable to find api field in struct ${this.#schema.name} for the json field ${JSON.stringify(key)}`,
    );
  }

  #get(key: string): Json | undefined {
    return member(this.result ?? this.#target, key);
  }

  #set(key: string, value: Json): void {
    if (this.#get(key) === value) return;
    this.result ??= copyMembers(this.#target);
    setMember(this.result, key, value);
  }

  #delete(key: string): void {
    if (this.#get(key) === undefined) return;
    this.result ??= copyMembers(this.#target);
    delete this.result[key];
  }
}

function listOf(directive: string, prefix: string, what: string): string {
  const slash = directive.indexOf('/');
  if (slash < 0 || directive.slice(0, slash) !== prefix) throw badFormat(what);
  return directive.slice(slash + 1);
}

function badFormat(what: string): PatchError {
  return new PatchError('BadRequest', `invalid patch format of ${what}`);
}

function badType(expected: string, value: Json): PatchError {
  return new PatchError('', `expected a ${expected}, but received a ${value === null ? '%!s(<nil>)' : goType(value)}`);
}
