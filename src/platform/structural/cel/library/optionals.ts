import { fn, type Library, method, typeConstant } from '../library.ts';
import { DYN, optionalOf } from '../types.ts';
import { typeOfValue } from '../value-type.ts';
import {
  ArrayList,
  Duration,
  EvaluationError,
  List,
  Mapping,
  Optional,
  type StepCounter,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts';

function valueOf(optional: Optional): Value {
  if (optional.held === undefined) throw new EvaluationError('optional.none() dereference');
  return optional.held;
}

/** Reports whether a value is the zero value of its type: zero, empty, false. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof List || value instanceof Mapping) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.ns === 0n;
  if (value instanceof Timestamp) return value.ns === 0n;
  return value instanceof Uint8Array && value.length === 0;
}

/** Looks up an index or key. A lookup in an optional continues in the value it holds. */
export function lookUp(container: Value, key: Value): Optional {
  if (container instanceof Optional) {
    return container.held === undefined ? Optional.none : lookUp(container.held, key);
  }
  if (container instanceof List) {
    if (typeof key !== 'bigint') throw new EvaluationError(`unsupported index type '${typeOfValue(key).name}' in list`);
    const index = Number(key);
    return index >= 0 && index < container.size ? new Optional(container.at(index)) : Optional.none;
  }
  if (!(container instanceof Mapping)) return Optional.none;
  const value = container.get(key);
  return value === undefined ? Optional.none : new Optional(value);
}

function unwrap(list: List, counter: StepCounter): List {
  counter.counter(list.size);
  const items: Value[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (item instanceof Optional && item.held !== undefined) items.push(item.held);
  }
  return new ArrayList(items);
}

export const OPTIONALS: Library = {
  constants: new Map([typeConstant(optionalOf(DYN))]),
  overloads: [
    fn('optional.of', 'A -> optional(A)', (a: Value) => new Optional(a)),
    fn('optional.none', '-> optional(A)', () => Optional.none),
    fn('optional.ofNonZeroValue', 'A -> optional(A)', (a: Value) => (isZero(a) ? Optional.none : new Optional(a))),
    fn('optional.unwrap', 'list(optional(A)) -> list(A)', unwrap),
    method('unwrapOpt', 'list(optional(A)) -> list(A)', unwrap),
    method('hasValue', 'optional(A) -> bool', (a: Optional) => a.held !== undefined),
    method('value', 'optional(A) -> A', valueOf),
    method('or', 'optional(A), optional(A) -> optional(A)', (a: Optional, b: Optional) =>
      a.held === undefined ? b : a,
    ),
    method('orValue', 'optional(A), A -> A', (a: Optional, b: Value) => (a.held === undefined ? b : a.held)),
    fn('_[_]', 'optional(list(A)), int -> optional(A)', lookUp),
    fn('_[_]', 'optional(map(A, B)), A -> optional(B)', lookUp),
    fn('_[?_]', 'list(A), int -> optional(A)', lookUp),
    fn('_[?_]', 'map(A, B), A -> optional(B)', lookUp),
    fn('_[?_]', 'optional(list(A)), int -> optional(A)', lookUp),
    fn('_[?_]', 'optional(map(A, B)), A -> optional(B)', lookUp),
  ],
};
