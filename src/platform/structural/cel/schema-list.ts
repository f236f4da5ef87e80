import { toBase64 } from '#platform/base/base64';
import { equals } from './equality.ts';
import { ArrayList, Duration, List, Mapping, type StepCounter, Timestamp, type Value } from './values.ts';

/** List semantics from a schema. */
export interface ListSchema {
  readonly item: (json: unknown) => Value;
  readonly kind: 'atomic' | 'set' | 'map';
  /** Fields that identify the items of a map, as spelled in expressions. */
  readonly keys: readonly string[];
}

/**
 * List from data. Sets, and maps written as lists, are equal regardless of order, and concatenate without duplicates.
 */
export class SchemaList extends List {
  readonly #json: readonly unknown[];
  readonly #schema: ListSchema;

  constructor(json: readonly unknown[], schema: ListSchema) {
    super();
    this.#json = json;
    this.#schema = schema;
  }

  override get isTyped(): boolean {
    return true;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return this.#schema.item(this.#json[index]);
  }

  override equalTo(other: List, counter: StepCounter): boolean | undefined {
    return this.#schema.kind === 'atomic' ? undefined : sameItems(this, other, this.#identity, counter);
  }

  override plus(other: List, counter: StepCounter): List {
    if (this.#schema.kind === 'atomic') return super.plus(other, counter);
    return new KeyedList(itemsOf(this, counter), this.#identity).plus(other, counter);
  }

  /** Returns the identity of an item in the list. */
  readonly #identity = (item: Value): unknown => {
    if (this.#schema.kind === 'set' || !(item instanceof Mapping)) return scalarKey(item);
    return JSON.stringify(this.#schema.keys.map((key) => scalarKey(item.get(key) ?? null)));
  };
}

/** Result of concatenating a set or map, with the same semantics. */
class KeyedList extends ArrayList {
  readonly #identity: (item: Value) => unknown;

  constructor(items: Value[], identity: (item: Value) => unknown) {
    super(items);
    this.#identity = identity;
  }

  override equalTo(other: List, counter: StepCounter): boolean {
    return sameItems(this, other, this.#identity, counter);
  }

  /** Concatenates lists. Items of the other list replace those with the same key, or are appended. */
  override plus(other: List, counter: StepCounter): List {
    const places = new Map(this.items.map((item, i) => [this.#identity(item), i]));
    const items = [...this.items];
    for (const item of itemsOf(other, counter)) {
      const key = this.#identity(item);
      const place = places.get(key);
      if (place === undefined) places.set(key, items.push(item) - 1);
      else items[place] = item;
    }
    return new KeyedList(items, this.#identity);
  }
}

function itemsOf(list: List, counter: StepCounter): Value[] {
  counter.counter(list.size);
  return Array.from({ length: list.size }, (_, i) => list.at(i));
}

function sameItems(a: List, b: List, identity: (item: Value) => unknown, counter: StepCounter): boolean {
  // Most equal lists have their items in the same order too.
  let same = 0;
  while (same < a.size && equals(a.at(same), b.at(same), counter)) same++;
  if (same === a.size) return true;
  const byKey = new Map(itemsOf(a, counter).map((item) => [identity(item), item]));
  return itemsOf(b, counter).every((item) => {
    const counterpart = byKey.get(identity(item));
    return counterpart !== undefined && equals(counterpart, item, counter);
  });
}

/** Returns a text that is unique per scalar. Items of a set are always scalars. */
function scalarKey(value: Value): string {
  if (value instanceof Timestamp || value instanceof Duration) return `time:${value.ns}`;
  if (value instanceof Uint8Array) return `bytes:${toBase64(value)}`;
  return typeof value === 'object' && value !== null ? 'object' : `${typeof value}:${String(value)}`;
}
