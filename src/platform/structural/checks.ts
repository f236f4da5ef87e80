import { duplicate, invalid, required, tooMany } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import type { JsonSchema } from '#platform/schema/json-schema';
import { type Check, typeName, wrongType } from './check.ts';
import { checkCombinators } from './combinators.ts';
import type { Cursor } from './cursor.ts';
import { checkEnum, checkInteger, checkNumber, checkString } from './scalars.ts';

type Container = Readonly<Record<string, unknown>>;

export function compileCheck(schema: JsonSchema, root = false): Check {
  const checks = [
    checkType(schema),
    checkEnum(schema),
    checkCombinators(schema, compileCheck),
    checkResource(schema, root),
  ].filter((check) => check !== undefined);
  const inner = inTurn(checks);
  if (schema.nullable !== true) return inner;
  return (value, at) => {
    if (value !== null) inner(value, at);
  };
}

/** Combines checks, which are nearly always one or two. */
function inTurn(checks: readonly Check[]): Check {
  const [first, second, third] = checks;
  if (first === undefined) return () => {};
  if (second === undefined) return first;
  if (third === undefined) {
    return (value, at) => {
      first(value, at);
      second(value, at);
    };
  }
  return (value, at) => {
    for (const check of checks) check(value, at);
  };
}

function checkType(schema: JsonSchema): Check | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return checkIntOrString(schema);
  switch (schema.type) {
    case 'string':
      return checkString(schema);
    case 'integer':
      return checkInteger(schema);
    case 'number':
      return checkNumber(schema);
    case 'boolean':
      return (value, at) => {
        if (typeof value !== 'boolean') wrongType(at, 'boolean', typeName(value));
      };
    case 'array':
      return checkArray(schema);
    case 'object':
      return checkObject(schema);
    default:
      return checkUntyped(schema);
  }
}

/** Checks a schema without a type, as inside anyOf. Each keyword then applies only to values of its own type. */
function checkUntyped(schema: JsonSchema): Check | undefined {
  const object = checkObject(schema);
  const string = checkString(schema);
  const number = checkNumber(schema);
  const array = checkArray(schema);
  return (value, at) => {
    if (typeof value === 'string') string(value, at);
    else if (typeof value === 'number') number(value, at);
    else if (Array.isArray(value)) array(value, at);
    else if (typeof value === 'object' && value !== null) object(value, at);
  };
}

function checkIntOrString(schema: JsonSchema): Check {
  const string = checkString(schema);
  const integer = checkInteger(schema);
  return (value, at) => {
    if (typeof value === 'string') string(value, at);
    else if (Number.isInteger(value)) integer(value, at);
    else wrongType(at, 'integer,string', typeName(value));
  };
}

function checkArray(schema: JsonSchema): Check {
  const item = schema.items === undefined ? undefined : compileCheck(schema.items);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identity = identityByKeys(keys);
  const keysOf = (entry: unknown) => keyOf(entry, keys);
  return (value, at) => {
    if (!Array.isArray(value)) return wrongType(at, 'array', typeName(value));
    if (value.length > maxItems) at.report(tooMany(at.path(), value.length, maxItems));
    else if (value.length < minItems) {
      const path = at.path();
      at.report(invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
    }
    if (item !== undefined) {
      for (let i = 0; i < value.length && !at.full; i++) {
        at.enter(i);
        item(value[i], at);
        at.leave();
      }
    }
    if (listType === 'set') reportTwice(value, identityOf, itself, at);
    else if (listType === 'map') {
      reportNoObjects(value, at);
      reportTwice(value, identity, keysOf, at);
    } else if (
      schema.uniqueItems === true &&
      new Set(value.map((entry) => JSON.stringify(entry))).size < value.length
    ) {
      const path = at.path();
      at.report(invalid(path, undefined, `${path} in body shouldn't contain duplicates`));
    }
  };
}

/** Reports items that are not objects and so have no keys. */
function reportNoObjects(list: readonly unknown[], at: Cursor): void {
  for (let i = 0; i < list.length; i++) {
    const entry = list[i];
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) continue;
    at.enter(i);
    at.report(invalid(at.path(), entry, 'must be an object for an array of list-type map'));
    at.leave();
  }
}

const itself = (entry: unknown): unknown => entry;

/** Returns the identity of a value in a set: the value itself, or its JSON text for objects. */
function identityOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Returns the identity of a list item by its keys, or undefined if it has no keys at all. */
function identityByKeys(keys: readonly string[]): (entry: unknown) => unknown {
  const [first = '', ...others] = keys;
  return (entry) => {
    if (typeof entry !== 'object' || entry === null) return undefined;
    const key = ownValue(entry as Container, first);
    // The sign distinguishes a name that looks like JSON from JSON.
    return others.length === 0 && typeof key === 'string' ? `=${key}` : JSON.stringify(keyOf(entry, keys));
  };
}

function keyOf(entry: unknown, keys: readonly string[]): unknown {
  const found = keys.map((key) => [key, ownValue(entry as Container, key)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

function reportTwice(
  items: readonly unknown[],
  identityOf: (item: unknown) => unknown,
  shown: (item: unknown) => unknown,
  at: Cursor,
): void {
  if (items.length < 2) return;
  const seen = new Set<unknown>();
  for (let i = 0; i < items.length; i++) {
    const identity = identityOf(items[i]);
    if (identity === undefined) continue;
    const known = seen.size;
    seen.add(identity);
    if (seen.size > known) continue;
    at.enter(i);
    at.report(duplicate(at.path(), shown(items[i])));
    at.leave();
  }
}

function checkObject(schema: JsonSchema): Check {
  const fields = new Map<string, Check>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) fields.set(name, compileCheck(field));
  const { required: needed = [] } = schema;
  const count = checkCount(schema);
  const extra = schema.additionalProperties;
  const other = typeof extra === 'object' ? compileCheck(extra) : undefined;
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return wrongType(at, 'object', typeName(value));
    }
    const object = value as Container;
    for (const name of needed) {
      if (ownValue(object, name) !== undefined) continue;
      at.enter(name);
      at.report(required(at.path()));
      at.leave();
    }
    count?.(object, at);
    for (const name in object) {
      const check = fields.get(name) ?? other;
      const inner = object[name];
      if (check === undefined || inner === undefined || at.full) continue;
      at.enter(name);
      check(inner, at);
      at.leave();
    }
  };
}

function checkCount({ minProperties = 0, maxProperties = Number.POSITIVE_INFINITY }: JsonSchema): Check | undefined {
  if (minProperties <= 0 && maxProperties === Number.POSITIVE_INFINITY) return undefined;
  return (object, at) => {
    const size = Object.keys(object as Container).length;
    if (size > maxProperties) at.report(tooMany(at.path(), size, maxProperties));
    else if (size < minProperties) {
      const path = at.path();
      at.report(invalid(path, size, `${path} in body should have at least ${minProperties} properties`));
    }
  };
}

/** Checks that an embedded resource states its type. */
function checkResource(schema: JsonSchema, root: boolean): Check | undefined {
  if (root || schema['x-kubernetes-embedded-resource'] !== true) return undefined;
  return (value, at) => {
    if (typeof value !== 'object' || value === null) return;
    for (const name of ['apiVersion', 'kind']) {
      if ((value as Container)[name] !== undefined) continue;
      at.enter(name);
      at.report(required(at.path()));
      at.leave();
    }
  };
}
