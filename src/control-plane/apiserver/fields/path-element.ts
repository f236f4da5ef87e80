import { goJson, goNumber, goQuote } from '#platform/base/go-value';
import { isObject, type JsonObject } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';

/**
 * One step of a field path as text, in the form that managedFields use: `f:name` is a field, `k:{"name":"x"}` an item
 * of a keyed list, `v:"x"` a value of a set, `i:0` an index, and `.` the node itself.
 */
export type PathElement = string;

export const SELF = '.';

/** Returns the element of a list item with these keys, which must be sorted by name. */
export function keyElement(names: readonly string[], values: readonly (Json | undefined)[]): PathElement {
  let text = 'k:{';
  for (let i = 0; i < names.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    text += `${text.length > 3 ? ',' : ''}${formatJson(names[i] as string)}:${formatJson(value)}`;
  }
  return `${text}}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${formatJson(value)}`;
}

const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;

function formatJson(value: Json): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : goJson(value);
}

/**
 * Parses an element and formats it as Kubernetes would; undefined for one of an unknown form, which must be ignored.
 */
export function canonicalElement(element: string): PathElement | undefined {
  switch (element.slice(0, 2)) {
    case 'f:':
      return element;
    case 'k:': {
      const keys = JSON.parse(element.slice(2)) as Json;
      if (!isObject(keys)) throw new SyntaxError(`${element} does not contain keys`);
      const names = Object.keys(keys).sort(compareText);
      return keyElement(
        names,
        names.map((name) => keys[name]),
      );
    }
    case 'v:':
      return valueElement(JSON.parse(element.slice(2)) as Json);
    case 'i:': {
      if (!/^i:-?\d+$/.test(element)) throw new SyntaxError(`${element} is not an index`);
      return `i:${Number(element.slice(2))}`;
    }
    default:
      return element === SELF ? SELF : undefined;
  }
}

/** Formats the element as in error messages: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${rest}`;
    case 'k:': {
      const keys = JSON.parse(rest) as JsonObject;
      const names = Object.keys(keys).sort(compareText);
      return `[${names.map((name) => `${name}=${printValue(keys[name] as Json)}`).join(',')}]`;
    }
    case 'v:':
      return `[=${printValue(JSON.parse(rest) as Json)}]`;
    default:
      return `[${rest}]`;
  }
}

function printValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goNumber(value) : goJson(value);
}

const RANK: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** Compares elements in the order in which Kubernetes writes them; numbers in keys are compared as numbers. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a[0] as string;
  if (kind !== b[0]) return (RANK[kind] ?? 5) - (RANK[b[0] as string] ?? 5);
  switch (kind) {
    case 'f':
      return compareText(a, b);
    case 'k':
      return compareKeys(JSON.parse(a.slice(2)) as JsonObject, JSON.parse(b.slice(2)) as JsonObject);
    case 'v':
      return compareValues(JSON.parse(a.slice(2)) as Json, JSON.parse(b.slice(2)) as Json);
    default:
      return Number(a.slice(2)) - Number(b.slice(2));
  }
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const aNames = Object.keys(a).sort(compareText);
  const bNames = Object.keys(b).sort(compareText);
  const shared = Math.min(aNames.length, bNames.length);
  for (let i = 0; i < shared; i++) {
    const aName = aNames[i] as string;
    const bName = bNames[i] as string;
    const order = compareText(aName, bName) || compareValues(a[aName], b[bName]);
    if (order !== 0) return order;
  }
  return aNames.length - bNames.length;
}

const TYPE_RANK: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2, list: 3, map: 4, null: 5 };

/** Compares values within keys and sets: by type first, then by value. */
export function compareValues(a: Json | undefined, b: Json | undefined): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const order = (TYPE_RANK[typeOf(a)] as number) - (TYPE_RANK[typeOf(b)] as number);
  return order === 0 ? compareText(goJson(a), goJson(b)) : order;
}

function typeOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : typeof value;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
