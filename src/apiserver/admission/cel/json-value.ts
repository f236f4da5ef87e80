import { DYN, mapOf, STRING, type Type } from '../../../structural/cel/types.ts';
import { List, Mapping, type Value } from '../../../structural/cel/values.ts';

/** JSON as an expression sees it that knows nothing of its schema: whole numbers are integers, everything else as it is. */
export function jsonValue(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json;
    case 'number':
      return Number.isSafeInteger(json) ? BigInt(json) : json;
    case 'object':
      if (json === null) return null;
      return Array.isArray(json) ? new JsonList(json) : new JsonMap(json as Readonly<Record<string, unknown>>);
    default:
      return null;
  }
}

class JsonList extends List {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return jsonValue(this.#items[index]);
  }
}

const MAP_TYPE = mapOf(STRING, DYN);

/** An object of JSON; its values become an expression's only when it looks at them. */
export class JsonMap extends Mapping {
  readonly type: Type = MAP_TYPE;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    super();
    this.#fields = fields;
  }

  get size(): number {
    return Object.keys(this.#fields).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#fields, key)) return undefined;
    const value = this.#fields[key];
    return value === undefined ? undefined : jsonValue(value);
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#fields);
  }
}

/** An expression's value as JSON; undefined where there is no such JSON. */
export function jsonOf(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof List) return Array.from({ length: value.size }, (_, i) => jsonOf(value.at(i)));
  if (value instanceof Mapping) {
    const object: Record<string, unknown> = {};
    for (const key of value.keys()) {
      if (typeof key === 'string' || typeof key === 'bigint') object[`${key}`] = jsonOf(value.get(key) ?? null);
    }
    return object;
  }
  return undefined;
}
