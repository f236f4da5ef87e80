import { sameType, Type } from './types.ts';
import {
  Duration,
  List,
  Mapping,
  noSuchOverload,
  Opaque,
  Optional,
  type StepCounter,
  Timestamp,
  Uint,
  type Value,
} from './values.ts';

/** Reports whether two values are equal. Values of different types never are, except equal numbers. */
export function equals(a: Value, b: Value, counter: StepCounter): boolean {
  if (a === b) return true;
  switch (typeof a) {
    case 'string':
    case 'boolean':
      return false;
    case 'bigint':
    case 'number':
      return isNumber(b) && sameNumber(a, b);
    default:
  }
  if (a instanceof List) return b instanceof List ? sameList(a, b, counter) : different(a, b);
  if (a instanceof Mapping) return b instanceof Mapping ? sameMapping(a, b, counter) : different(a, b);
  if (a instanceof Uint) return isNumber(b) && sameNumber(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ns === b.ns;
  if (a instanceof Duration) return b instanceof Duration && a.ns === b.ns;
  if (a instanceof Type) return b instanceof Type && (sameType(a, b) || a.name === b.name);
  if (a instanceof Opaque) return b instanceof Opaque && a.type.name === b.type.name && a.key === b.key;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    if (a.held === undefined || b.held === undefined) return a.held === b.held;
    return equals(a.held, b.held, counter);
  }
  return a instanceof Uint8Array && b instanceof Uint8Array && sameBytes(a, b);
}

/** Returns false for containers of different kinds. Comparing one that has a schema is an error. */
function different(container: List | Mapping, other: Value): boolean {
  if (container.isTyped && other !== null) throw noSuchOverload();
  return false;
}

export function isNumber(value: Value): value is bigint | number | Uint {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** Compares bigint and number by their exact mathematical value, as JavaScript does and CEL requires. */
function sameNumber(a: bigint | number | Uint, b: bigint | number | Uint): boolean {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  // oxlint-disable-next-line eqeqeq -- a bigint never is strictly equal to a number
  return left == right;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function sameList(a: List, b: List, counter: StepCounter): boolean {
  if (a.size !== b.size) return false;
  counter.counter(a.size);
  const known = a.equalTo(b, counter);
  if (known !== undefined) return known;
  for (let i = 0; i < a.size; i++) if (!equals(a.at(i), b.at(i), counter)) return false;
  return true;
}

function sameMapping(a: Mapping, b: Mapping, counter: StepCounter): boolean {
  if (a.size !== b.size) return false;
  counter.counter(a.size);
  const known = a.equalTo(b, counter);
  if (known !== undefined) return known;
  for (const key of a.keys()) {
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined || !equals(left, right, counter)) return false;
  }
  return true;
}
