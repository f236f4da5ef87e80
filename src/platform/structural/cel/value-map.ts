import { MAP, type Type } from './types.ts';
import { EvaluationError, Mapping, Uint, type Value } from './values.ts';

/** Normalizes a key for lookup. Equal whole numbers are one key, regardless of their type. */
function normal(key: Value): Value | undefined {
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : undefined;
  return key;
}

/** Map that an expression built. */
export class ValueMap extends Mapping {
  readonly type: Type = MAP;
  readonly #entries: Map<Value, readonly [key: Value, value: Value]>;

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    this.#entries = new Map();
    for (const [key, value] of entries) this.set(key, value);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const desired = normal(key);
    return desired === undefined ? undefined : this.#entries.get(desired)?.[1];
  }

  *keys(): Generator<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }

  /** Adds an entry while the map is being built. */
  set(key: Value, value: Value): void {
    const desired = normal(key);
    if (desired === undefined) throw new EvaluationError('unsupported key type');
    this.#entries.set(desired, [key, value]);
  }
}
