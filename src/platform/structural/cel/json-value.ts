import { DYN, mapOf, STRING, type Type } from './types.ts';
import { List, Mapping, type Value } from './values.ts';

const TYPE = mapOf(STRING, DYN);

/**
 * Converts any JSON to a value without a schema: whole numbers are integers, objects are maps. Contents are converted
 * only on access.
 */
export function valueOfJson(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json;
    case 'number':
      return Number.isInteger(json) && Math.abs(json) < 2 ** 63 ? BigInt(json) : json;
    default:
  }
  if (json === null || json === undefined) return null;
  return Array.isArray(json) ? new JsonList(json) : new JsonMap(json as Readonly<Record<string, unknown>>);
}

class JsonList extends List {
  readonly #json: readonly unknown[];
  constructor(json: readonly unknown[]) {
    super();
    this.#json = json;
  }
  get size(): number {
    return this.#json.length;
  }
  at(index: number): Value {
    return valueOfJson(this.#json[index]);
  }
}

class JsonMap extends Mapping {
  readonly type: Type = TYPE;
  readonly #json: Readonly<Record<string, unknown>>;
  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.#json = json;
  }
  get size(): number {
    return Object.keys(this.#json).length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key)) return undefined;
    return valueOfJson(this.#json[key]);
  }
  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}
