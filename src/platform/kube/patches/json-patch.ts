import { copyJson } from '#platform/base/json-copy';
import { runSteps, type Steps } from '#platform/base/steps';
import type { Json } from '#platform/schema/json-schema';
import {
  copyMembers,
  isList,
  isObject,
  type JsonObject,
  type MutableObject,
  member,
  sameJson,
  setMember,
} from './json-object.ts';
import { assertDepth, PatchError } from './patch-error.ts';

const MAX_OPERATIONS = 10_000;
/** Number of operations per step, between which other work may run. The first of them may copy large values. */
const AT_ONCE = 2_000;
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

interface JsonPatchOperation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Json;
}

type Container = MutableObject | Json[];

/**
 * Applies a JSON patch (RFC 6902) and returns the result; neither argument changes.
 *
 * It is as tolerant as Kubernetes where scripts rely on it: `replace` of a missing member adds it, a missing member
 * counts as null for `test` and `copy`, a missing `value` is null, and negative indices count from the end of a list.
 */
export function applyJsonPatch(target: JsonObject, patch: Json): JsonObject {
  return runSteps(jsonPatching(target, patch));
}

/** Applies a JSON patch in steps. */
export function* jsonPatching(target: JsonObject, patch: Json): Steps<JsonObject> {
  const operations = decode(patch);
  const document = new PatchedDocument(target);
  for (const [i, operation] of operations.entries()) {
    if (i % AT_ONCE === 1) yield;
    document.apply(operation);
  }
  yield;
  if (!isObject(document.root)) throw rejection('the document is no longer an object');
  return document.root;
}

function decode(patch: Json): readonly JsonPatchOperation[] {
  if (patch === null) return [];
  if (!isList(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
  }
  return patch.map((item) => {
    if (item !== null && !isObject(item)) throw undecodable(item, 'value of type handlers.jsonPatchOp');
    const operation = item ?? {};
    return {
      op: text(operation, 'op') ?? '',
      path: text(operation, 'path'),
      from: text(operation, 'from'),
      value: member(operation, 'value') ?? null,
    };
  });
}

function text(operation: JsonObject, name: string): string | undefined {
  const value = member(operation, name) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw undecodable(value, `struct field jsonPatchOp.${name} of type string`);
}

/** Target of a patch. A container is copied before its first change and then changed in place. */
class PatchedDocument {
  root: Json;
  readonly #own = new Set<Container>();
  #copiedBytes = 0;

  constructor(target: JsonObject) {
    this.root = target;
  }

  apply({ op, path, from, value }: JsonPatchOperation): void {
    if (path === undefined) throw rejection(`${op} without a path`);
    switch (op) {
      case 'add':
        return this.#add(path, value);
      case 'remove':
        return void this.#remove(path);
      case 'replace':
        return this.#replace(path, value);
      case 'move':
        return this.#add(path, this.#remove(this.#from(from)));
      case 'copy':
        return this.#add(path, this.#copied(this.#get(this.#from(from)) ?? null));
      case 'test':
        if (!sameJson(path === '' ? this.root : (this.#get(path) ?? null), value)) throw rejection(`test of ${path}`);
        return;
      default:
        throw rejection(`unknown operation ${op}`);
    }
  }

  #from(from: string | undefined): string {
    if (from === undefined) throw rejection('no from');
    return from;
  }

  #get(path: string): Json | undefined {
    const [parents, last] = split(path);
    let at: Json | undefined = this.root;
    for (const token of parents) at = child(at, token);
    if (typeof at !== 'object' || at === null) throw rejection(`no parent of ${path}`);
    return child(at, last);
  }

  #add(path: string, value: Json): void {
    if (path === '') {
      this.root = value;
      return;
    }
    const [parents, last] = split(path);
    const at = this.#writable(parents);
    if (!Array.isArray(at)) return setMember(at, last, value);
    if (last === '-') return void at.push(value);
    const size = at.length + 1;
    at.splice(position(last, size, size), 0, value);
  }

  #remove(path: string): Json {
    const [parents, last] = split(path);
    const at = this.#writable(parents);
    if (Array.isArray(at)) return at.splice(position(last, at.length, at.length), 1)[0] ?? null;
    const value = member(at, last);
    if (value === undefined) throw rejection(`nothing to remove at ${path}`);
    delete at[last];
    return value;
  }

  #replace(path: string, value: Json): void {
    if (path === '') {
      this.root = value;
      return;
    }
    const [parents, last] = split(path);
    const at = this.#writable(parents);
    if (Array.isArray(at)) at[position(last, at.length, at.length)] = value;
    else setMember(at, last, value);
  }

  /** Returns the container at the path, after copying it and its parents unless they are already copies. */
  #writable(parents: readonly string[]): Container {
    let at = this.#owned(this.root);
    this.root = at;
    for (const token of parents) {
      const next = this.#owned(child(at, token));
      if (Array.isArray(at)) at[position(token, at.length, at.length)] = next;
      else setMember(at, token, next);
      at = next;
    }
    return at;
  }

  #owned(value: Json | undefined): Container {
    if (typeof value !== 'object' || value === null) throw rejection('a path leads through a scalar');
    if (this.#own.has(value as Container)) return value as Container;
    const copy: Container = isList(value) ? value.slice() : copyMembers(value);
    this.#own.add(copy);
    return copy;
  }

  /**
   * Copies a value so that it can change independently. Its size is counted, because copies of copies grow
   * exponentially.
   */
  #copied(value: Json): Json {
    this.#copiedBytes += JSON.stringify(value).length;
    if (this.#copiedBytes > MAX_COPIED_BYTES) throw rejection('copies grow too large');
    return copyJson(value);
  }
}

function split(path: string): [parents: string[], last: string] {
  const tokens = path.split('/').slice(1);
  const last = tokens.pop();
  if (last === undefined) throw rejection(`${JSON.stringify(path)} leads nowhere`);
  assertDepth(tokens.length);
  return [tokens.map(unescape), unescape(last)];
}

function unescape(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

function child(at: Json | undefined, token: string): Json | undefined {
  if (isList(at)) return at[position(token, at.length, at.length)];
  if (isObject(at)) return member(at, token);
  throw rejection('a path leads through a scalar');
}

/** Returns the index that a token names. Negative ones count back from `end`. */
function position(token: string, size: number, end: number): number {
  if (!/^[+-]?\d+$/.test(token)) throw rejection(`${token} is no index`);
  const index = Number(token);
  const at = index < 0 ? end + index : index;
  if (at < 0 || at >= size) throw rejection(`index ${token} is out of bounds`);
  return at;
}

/** Creates the error. Kubernetes has the same message for every cause; ours is kept for logs. */
function rejection(why: string): PatchError {
  return new PatchError('Invalid', 'the server rejected our request due to an error in our request', {
    cause: new Error(why),
  });
}

function tooLarge(why: string): PatchError {
  return new PatchError('RequestEntityTooLarge', `Request entity too large: ${why}`);
}

function undecodable(value: Json, target: string): PatchError {
  const type = isList(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return new PatchError('BadRequest', `error decoding patch: json: cannot unmarshal ${type} into Go ${target}`);
}
