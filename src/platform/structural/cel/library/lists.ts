import { int64, uint64 } from '../arithmetic.ts';
import { equals } from '../equality.ts';
import { fn, type Library, method, type Overload } from '../library.ts';
import { compareValues } from '../order.ts';
import { typeOfValue } from '../value-type.ts';
import {
  ArrayList,
  CostExceededError,
  Duration,
  EvaluationError,
  List,
  noSuchOverload,
  Optional,
  type StepCounter,
  Uint,
  type Value,
} from '../values.ts';

const SORTABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function* itemsOf(list: List): Generator<Value> {
  for (let i = 0; i < list.size; i++) yield list.at(i);
}

function isSorted(list: List, counter: StepCounter): boolean {
  counter.counter(list.size);
  for (let i = 1; i < list.size; i++) if (compareValues(list.at(i - 1), list.at(i)) > 0) return false;
  return true;
}

/** Returns the smallest or largest item, the first one of equals. */
function extreme(name: string, sign: 1 | -1): (list: List, counter: StepCounter) => Value {
  return (list, counter) => {
    counter.counter(list.size);
    if (list.size === 0) throw new EvaluationError(`${name} called on empty list`);
    let best = list.at(0);
    for (const item of itemsOf(list)) if (compareValues(item, best) * sign < 0) best = item;
    return best;
  };
}

function sum(list: List, zero: Value, counter: StepCounter): Value {
  counter.counter(list.size);
  let total = zero;
  for (const item of itemsOf(list)) total = addTo(total, item);
  return total;
}

function addTo(total: Value, item: Value): Value {
  if (typeof item === 'bigint') return int64((typeof total === 'bigint' ? total : 0n) + item);
  if (typeof item === 'number') return (typeof total === 'number' ? total : 0) + item;
  if (item instanceof Uint) return new Uint(uint64((total instanceof Uint ? total.value : 0n) + item.value));
  if (item instanceof Duration) return new Duration(int64((total instanceof Duration ? total.ns : 0n) + item.ns));
  throw new EvaluationError('no such overload: sum(list)');
}

function indexOf(list: List, value: Value, counter: StepCounter): bigint {
  counter.counter(list.size);
  for (let i = 0; i < list.size; i++) if (equals(list.at(i), value, counter)) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: List, value: Value, counter: StepCounter): bigint {
  counter.counter(list.size);
  for (let i = list.size - 1; i >= 0; i--) if (equals(list.at(i), value, counter)) return BigInt(i);
  return -1n;
}

function slice(list: List, from: bigint, to: bigint, counter: StepCounter): List {
  const range = `cannot slice(${from}, ${to}), `;
  if (from < 0n || to < 0n) throw new EvaluationError(`${range}negative indexes not supported`);
  if (from > to) throw new EvaluationError(`${range}start index must be less than or equal to end index`);
  if (to > BigInt(list.size)) throw new EvaluationError(`${range}list is length ${list.size}`);
  counter.counter(Number(to - from));
  const items: Value[] = [];
  for (let i = Number(from); i < Number(to); i++) items.push(list.at(i));
  return new ArrayList(items);
}

function flatten(list: List, depth: bigint, counter: StepCounter): List {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const items: Value[] = [];
  const visit = (inner: List, left: bigint): void => {
    counter.counter(2 * inner.size);
    for (const item of itemsOf(inner)) {
      if (item instanceof List && left > 0n) visit(item, left - 1n);
      else items.push(item);
    }
  };
  visit(list, depth);
  return new ArrayList(items);
}

function distinct(list: List, counter: StepCounter): List {
  counter.counter(list.size);
  const kept: Value[] = [];
  const seen = new Set<string | bigint | boolean>();
  for (const item of itemsOf(list)) {
    // Most lists hold scalars, for which a set lookup is immediate.
    if (typeof item === 'string' || typeof item === 'bigint' || typeof item === 'boolean') {
      if (!seen.has(item)) kept.push(item);
      seen.add(item);
      continue;
    }
    counter.counter(kept.length);
    if (!kept.some((other) => equals(other, item, counter))) kept.push(item);
  }
  return new ArrayList(kept);
}

function sortBy(list: List, keys: List, counter: StepCounter): List {
  if (list.size !== keys.size) throw noSuchOverload();
  counter.counter(list.size * Math.log2(list.size + 2));
  const pairs = Array.from({ length: list.size }, (_, i) => ({ item: list.at(i), key: keys.at(i) }));
  const kind = (value: Value | undefined): string => typeOfValue(value ?? null).name;
  if (pairs.some(({ key }) => kind(key) !== kind(pairs[0]?.key))) {
    throw new EvaluationError('list elements must have the same type');
  }
  if (pairs.length > 0 && !SORTABLE.includes(typeOfValue(pairs[0]?.key ?? null).kind)) {
    throw new EvaluationError('list elements must be comparable');
  }
  pairs.sort((a, b) => compareValues(a.key, b.key));
  return new ArrayList(pairs.map(({ item }) => item));
}

/** List of the numbers from zero, created on access. */
class NumberList extends List {
  readonly size: number;
  constructor(size: number) {
    super();
    this.size = size;
  }
  at(index: number): Value {
    return BigInt(index);
  }
}

function range(count: bigint): List {
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw new CostExceededError();
  return new NumberList(Math.max(0, Number(count)));
}

function reverse(list: List, counter: StepCounter): List {
  counter.counter(list.size);
  return new ArrayList([...itemsOf(list)].reverse());
}

const ADDABLE: readonly (readonly [string, Value])[] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];

const ORDERED: readonly Overload[] = SORTABLE.flatMap((type) => [
  method('isSorted', `list(${type}) -> bool`, isSorted),
  method('min', `list(${type}) -> ${type}`, extreme('min', 1)),
  method('max', `list(${type}) -> ${type}`, extreme('max', -1)),
  method('sort', `list(${type}) -> list(${type})`, (list: List, counter: StepCounter) => sortBy(list, list, counter)),
  method('@sortByAssociatedKeys', `list(A), list(${type}) -> list(A)`, sortBy),
]);

export const LISTS: Library = {
  overloads: [
    ...ORDERED,
    ...ADDABLE.map(([type, zero]) =>
      method('sum', `list(${type}) -> ${type}`, (list: List, counter: StepCounter) => sum(list, zero, counter)),
    ),
    method('indexOf', 'list(A), A -> int', indexOf),
    method('lastIndexOf', 'list(A), A -> int', lastIndexOf),
    method('slice', 'list(A), int, int -> list(A)', slice),
    method('flatten', 'list(list(A)) -> list(A)', (list: List, counter: StepCounter) => flatten(list, 1n, counter)),
    method('flatten', 'list(dyn), int -> list(dyn)', flatten),
    method('distinct', 'list(A) -> list(A)', distinct),
    method('reverse', 'list(A) -> list(A)', reverse),
    method('first', 'list(A) -> optional(A)', (list: List) =>
      list.size === 0 ? Optional.none : new Optional(list.at(0)),
    ),
    method('last', 'list(A) -> optional(A)', (list: List) =>
      list.size === 0 ? Optional.none : new Optional(list.at(list.size - 1)),
    ),
    fn('lists.range', 'int -> list(int)', range),
  ],
};
