import type { Type } from './types.ts';

/** What an expression computes with. Integers are bigint, doubles are number; all else that JavaScript lacks is a class. */
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

/** A value of a library's own type (a quantity, an address); the library knows what `data` is. */
export class Opaque {
  readonly type: Type;
  readonly data: unknown;
  /** Two values of one type are equal when their keys are. */
  readonly key: string | bigint;
  /** What the price of a call that reads the value counts. */
  readonly size: number;
  constructor(type: Type, data: unknown, key: string | bigint, size = 1) {
    this.type = type;
    this.data = data;
    this.key = key;
    this.size = size;
  }
}

/** A list whose items may be made only when somebody looks. */
export abstract class List {
  /** A list of a schema answers only to its own kind: comparing it with anything else is an error. */
  get isTyped(): boolean {
    return false;
  }
  abstract readonly size: number;
  abstract at(index: number): Value;

  /** This list followed by another; constant time unless the kind of list says what joining means. */
  plus(other: List, _toil: StepCounter): List {
    if (this.size === 0) return other;
    return other.size === 0 ? this : new JoinedList(this, other);
  }

  /** Equality of lists that know better than item by item; undefined leaves it to the general rule. */
  equalTo(_other: List, _toil: StepCounter): boolean | undefined {
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

/** Two lists as one, so that joining costs nothing however long they are. */
class JoinedList extends List {
  readonly size: number;
  readonly #head: List;
  readonly #tail: List;
  constructor(head: List, tail: List) {
    super();
    this.#head = head;
    this.#tail = tail;
    this.size = head.size + tail.size;
    // A list that joins itself over and over would outgrow what a number can count.
    if (this.size > Number.MAX_SAFE_INTEGER) throw new CostExceededError();
  }
  at(index: number): Value {
    let [list, rest] = this.#part(index);
    while (list instanceof JoinedList) [list, rest] = list.#part(rest);
    return list.at(rest);
  }

  /** Which of the two holds an item, and where. */
  #part(index: number): [list: List, index: number] {
    const split = this.#head.size;
    return index < split ? [this.#head, index] : [this.#tail, index - split];
  }
}

/** Anything with fields or keys. */
export abstract class Mapping {
  /** As for lists. */
  get isTyped(): boolean {
    return false;
  }
  /** The type that `type()` reports. */
  abstract readonly type: Type;
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  /** Equality of mappings that know better than key by key; undefined leaves it to the general rule. */
  equalTo(_other: Mapping, _toil: StepCounter): boolean | undefined {
    return undefined;
  }
}

/** Counts steps of work that no price of the language covers, so that no expression can run for long. */
export interface StepCounter {
  counter(steps: number): void;
}

/** An evaluation that came to nothing: a missing key, a division by zero, a wrong type. */
export class EvaluationError extends Error {}

/** An evaluation that was stopped because it cost too much; nothing in the language can catch it. */
export class CostExceededError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export const noSuchOverload = (): EvaluationError => new EvaluationError('no such overload');
