import { concatBytes } from '#platform/base/bytes';
import { divide, int64, modulo, uint64 } from '../arithmetic.ts';
import { equals } from '../equality.ts';
import { fn, type Library, type Overload } from '../library.ts';
import { compareValues } from '../order.ts';
import { inRange } from '../time.ts';
import { typeOfValue } from '../value-type.ts';
import {
  Duration,
  EvaluationError,
  List,
  Mapping,
  noSuchOverload,
  type StepCounter,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts';

const big =
  (compute: (a: bigint, b: bigint) => bigint) =>
  (a: bigint, b: bigint): Value =>
    int64(compute(a, b));
const unsigned =
  (compute: (a: bigint, b: bigint) => bigint) =>
  (a: Uint, b: Uint): Value =>
    new Uint(uint64(compute(a.value, b.value)));

const plus = (a: bigint, b: bigint): bigint => a + b;
const minus = (a: bigint, b: bigint): bigint => a - b;
const times = (a: bigint, b: bigint): bigint => a * b;

/** Creates a duration and checks that it fits into 64 bits of nanoseconds. */
function durationOf(ns: bigint): Duration {
  return new Duration(int64(ns));
}

const ARITHMETIC: readonly Overload[] = [
  fn('_+_', 'bytes, bytes -> bytes', (a: Uint8Array, b: Uint8Array) => concatBytes([a, b])),
  fn('_+_', 'double, double -> double', (a: number, b: number) => a + b),
  fn('_+_', 'duration, duration -> duration', (a: Duration, b: Duration) => durationOf(a.ns + b.ns)),
  fn('_+_', 'duration, timestamp -> timestamp', (a: Duration, b: Timestamp) => new Timestamp(inRange(a.ns + b.ns))),
  fn('_+_', 'timestamp, duration -> timestamp', (a: Timestamp, b: Duration) => new Timestamp(inRange(a.ns + b.ns))),
  fn('_+_', 'int, int -> int', big(plus)),
  fn('_+_', 'list(A), list(A) -> list(A)', (a: List, b: List, counter: StepCounter) => a.plus(b, counter)),
  fn('_+_', 'string, string -> string', (a: string, b: string) => a + b),
  fn('_+_', 'uint, uint -> uint', unsigned(plus)),
  fn('_-_', 'double, double -> double', (a: number, b: number) => a - b),
  fn('_-_', 'duration, duration -> duration', (a: Duration, b: Duration) => durationOf(a.ns - b.ns)),
  fn('_-_', 'int, int -> int', big(minus)),
  fn('_-_', 'timestamp, duration -> timestamp', (a: Timestamp, b: Duration) => new Timestamp(inRange(a.ns - b.ns))),
  fn('_-_', 'timestamp, timestamp -> duration', (a: Timestamp, b: Timestamp) => durationOf(a.ns - b.ns)),
  fn('_-_', 'uint, uint -> uint', unsigned(minus)),
  fn('_*_', 'double, double -> double', (a: number, b: number) => a * b),
  fn('_*_', 'int, int -> int', big(times)),
  fn('_*_', 'uint, uint -> uint', unsigned(times)),
  fn('_/_', 'double, double -> double', (a: number, b: number) => a / b),
  fn('_/_', 'int, int -> int', big(divide)),
  fn('_/_', 'uint, uint -> uint', unsigned(divide)),
  fn('_%_', 'int, int -> int', big(modulo)),
  fn('_%_', 'uint, uint -> uint', unsigned(modulo)),
  fn('-_', 'int -> int', (a: bigint) => int64(-a)),
  fn('-_', 'double -> double', (a: number) => -a),
];

/** Types with an order. Numbers of different types can be compared, all others only with their own type. */
const ORDERED = [
  'bool, bool',
  'int, int',
  'int, double',
  'int, uint',
  'uint, uint',
  'uint, double',
  'uint, int',
  'double, double',
  'double, int',
  'double, uint',
  'string, string',
  'bytes, bytes',
  'timestamp, timestamp',
  'duration, duration',
];

/** Reports whether values differ. Incomparable values differ, although comparing them for equality is an error. */
function differs(a: Value, b: Value, counter: StepCounter): boolean {
  try {
    return !equals(a, b, counter);
  } catch (error) {
    if (error instanceof EvaluationError) return true;
    throw error;
  }
}

const COMPARISONS: readonly Overload[] = [
  ...ORDERED.map((types) => fn('_<_', `${types} -> bool`, (a: Value, b: Value) => compareValues(a, b) < 0)),
  ...ORDERED.map((types) => fn('_<=_', `${types} -> bool`, (a: Value, b: Value) => compareValues(a, b) <= 0)),
  ...ORDERED.map((types) => fn('_>_', `${types} -> bool`, (a: Value, b: Value) => compareValues(a, b) > 0)),
  ...ORDERED.map((types) => fn('_>=_', `${types} -> bool`, (a: Value, b: Value) => compareValues(a, b) >= 0)),
  fn('_==_', 'A, A -> bool', (a: Value, b: Value, counter: StepCounter) => equals(a, b, counter)),
  fn('_!=_', 'A, A -> bool', differs),
];

/** Returns the item of a list at an index. A whole double counts as an index where types are not known. */
function itemAt(list: List, index: Value): Value {
  const i = typeof index === 'bigint' ? Number(index) : index instanceof Uint ? Number(index.value) : index;
  if (typeof i !== 'number') throw new EvaluationError(`unsupported index type '${typeOfValue(i).name}' in list`);
  if (list.isTyped && typeof index !== 'bigint') throw new EvaluationError(`unsupported index: ${i}`);
  if (!Number.isInteger(i)) throw new EvaluationError(`unsupported index value ${i} in list`);
  if (i < 0 || i >= list.size) throw new EvaluationError(`index out of bounds: ${i}`);
  return list.at(i);
}

/** Returns the entry of a map under a key. */
function entryOf(map: Mapping, key: Value): Value {
  const value = map.get(key);
  if (value === undefined) throw new EvaluationError(`no such key: ${formatKey(key)}`);
  return value;
}

/** Formats a key for messages. */
export function formatKey(key: Value): string {
  if (key instanceof Uint) return key.value.toString();
  return typeof key === 'object' ? 'value' : String(key);
}

function contains(value: Value, list: List, counter: StepCounter): boolean {
  counter.counter(list.size);
  for (let i = 0; i < list.size; i++) if (equals(value, list.at(i), counter)) return true;
  return false;
}

/** Accesses any container by any key, where the types are unknown. */
function access(container: Value, key: Value): Value {
  if (container instanceof List) return itemAt(container, key);
  if (container instanceof Mapping) return entryOf(container, key);
  throw new EvaluationError(`no such key: ${formatKey(key)}`);
}

const ACCESS: readonly Overload[] = [
  fn('_[_]', 'list(A), int -> A', access),
  fn('_[_]', 'map(A, B), A -> B', access),
  fn('@in', 'A, list(A) -> bool', contains),
  fn('@in', 'A, map(A, B) -> bool', (key: Value, map: Mapping) => map.has(key)),
];

/**
 * The compiler evaluates these itself, because they do not evaluate all their operands. The entries only give their
 * types.
 */
const lazily = (): never => {
  throw noSuchOverload();
};
const LAZY: readonly Overload[] = [
  fn('_&&_', 'bool, bool -> bool', lazily),
  fn('_||_', 'bool, bool -> bool', lazily),
  fn('_?_:_', 'bool, A, A -> A', lazily),
  fn('@not_strictly_false', 'bool -> bool', lazily),
  fn('!_', 'bool -> bool', (a: boolean) => !a),
];

export const OPERATORS: Library = { overloads: [...ARITHMETIC, ...COMPARISONS, ...ACCESS, ...LAZY] };
