import type { Type } from './types.ts';

/** Value of an expression. Integers are bigint, doubles are number; types that JavaScript lacks are classes. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | List
  | Mapping
  | Type
  | Optional
  | Opaque;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Timestamp {
  /** Nanoseconds since 1970. */
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export class Duration {
  readonly ns: bigint;
  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly held: Value | undefined;
  constructor(held: Value | undefined) {
    this.held = held;
  }
}

/** Value of a library's own type (a quantity, an address). Only the library knows the type of `data`. */
export class Opaque {
  readonly type: Type;
  readonly data: unknown;
  /** Two values of one type are equal when their keys are. */
  readonly key: string | bigint;
  /** Size by which calls that read the value are charged. */
  readonly size: number;
  constructor(type: Type, data: unknown, key: string | bigint, size = 1) {
    this.type = type;
    this.data = data;
    this.key = key;
    this.size = size;
  }
}

/** List whose items may be created on access. */
export abstract class List {
  /** A list of a schema can only be compared with its own kind. Comparing it with anything else is an error. */
  get isTyped(): boolean {
    return false;
  }
  abstract readonly size: number;
  abstract at(index: number): Value;

  /** Concatenates two lists. It takes constant time unless the kind of list defines concatenation. */
  plus(other: List, _steps: StepCounter): List {
    if (this.size === 0) return other;
    return other.size === 0 ? this : new JoinedList(this, other);
  }

  /** Compares lists that have their own equality. If undefined, they are compared item by item. */
  equalTo(_other: List, _steps: StepCounter): boolean | undefined {
    return undefined;
  }
}

export class ArrayList extends List {
  readonly items: Value[];
  constructor(items: Value[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** Concatenation of two lists, which costs nothing regardless of their length. */
class JoinedList extends List {
  readonly size: number;
  readonly #head: List;
  readonly #tail: List;
  constructor(head: List, tail: List) {
    super();
    this.#head = head;
    this.#tail = tail;
    this.size = head.size + tail.size;
    // A list that is concatenated with itself repeatedly would exceed the largest safe number.
    if (this.size > Number.MAX_SAFE_INTEGER) throw new CostExceededError();
  }
  at(index: number): Value {
    let [list, rest] = this.#part(index);
    while (list instanceof JoinedList) [list, rest] = list.#part(rest);
    return list.at(rest);
  }

  /** Returns the list that holds an item, and the index in it. */
  #part(index: number): [list: List, index: number] {
    const split = this.#head.size;
    return index < split ? [this.#head, index] : [this.#tail, index - split];
  }
}

/** Value with fields or keys. */
export abstract class Mapping {
  /** See List. */
  get isTyped(): boolean {
    return false;
  }
  /** Type that `type()` reports. */
  abstract readonly type: Type;
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  /** Compares mappings that have their own equality. If undefined, they are compared key by key. */
  equalTo(_other: Mapping, _steps: StepCounter): boolean | undefined {
    return undefined;
  }
}

/** Counts steps of work that CEL does not charge, so that no expression can run for long. */
export interface StepCounter {
  counter(steps: number): void;
}

/** Reports a failed evaluation: a missing key, a division by zero, a wrong type. */
export class EvaluationError extends Error {}

/** Reports that an evaluation was stopped because it cost too much. Nothing in CEL can catch it. */
export class CostExceededError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export const noSuchOverload = (): EvaluationError => new EvaluationError('no such overload');
