import { ownValue } from '#platform/base/own-value';
import { deepEqual } from '../deep-equal.ts';
import { equals } from './equality.ts';
import { DYN, mapOf, objectOf, STRING, type Type } from './types.ts';
import { Mapping, noSuchOverload, type StepCounter, type Value } from './values.ts';

type Json = Readonly<Record<string, unknown>>;
type Adapt = (json: unknown) => Value;

const MAP_TYPE = mapOf(STRING, DYN);
const OBJECT_TYPE = objectOf('object', new Map());

/** Map with arbitrary keys. A null counts as no entry. */
export class SchemaMap extends Mapping {
  readonly #json: Json;
  readonly #adapt: Adapt;

  constructor(json: Json, adapt: Adapt) {
    super();
    this.#json = json;
    this.#adapt = adapt;
  }

  override get isTyped(): boolean {
    return true;
  }

  get type(): Type {
    return MAP_TYPE;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    if (!Object.hasOwn(this.#json, key)) return undefined;
    const json = this.#json[key];
    return json === null || json === undefined ? undefined : this.#adapt(json);
  }

  override has(key: Value): boolean {
    return typeof key === 'string' && Object.hasOwn(this.#json, key) && (this.#json[key] ?? null) !== null;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}

/** Fields of an object's schema, by their name in expressions, and by their JSON name if they have a type. */
export interface ObjectFields {
  readonly fields: ReadonlyMap<string, { readonly key: string; readonly adapt: Adapt }>;
  readonly known: ReadonlyMap<string, Adapt>;
}

/** Object with the fields of its schema. Other fields are invisible, but still make two objects differ. */
export class SchemaObject extends Mapping {
  readonly #json: Json;
  readonly #schema: ObjectFields;
  #size: number | undefined;
  /** Field that was read last, cached because rules follow the same path repeatedly. */
  #lastName: Value | undefined;
  #lastValue: Value | undefined;

  constructor(json: Json, schema: ObjectFields) {
    super();
    this.#json = json;
    this.#schema = schema;
  }

  override get isTyped(): boolean {
    return true;
  }

  get type(): Type {
    return OBJECT_TYPE;
  }

  get size(): number {
    this.#size ??= Object.keys(this.#json).length;
    return this.#size;
  }

  get(name: Value): Value | undefined {
    if (name === this.#lastName) return this.#lastValue;
    const value = this.#read(name);
    this.#lastName = name;
    this.#lastValue = value;
    return value;
  }

  #read(name: Value): Value | undefined {
    const field = this.#schema.fields.get(name as string);
    if (field === undefined) return undefined;
    const json = ownValue(this.#json, field.key);
    return json === null || json === undefined ? undefined : field.adapt(json);
  }

  override has(name: Value): boolean {
    const field = this.#schema.fields.get(name as string);
    return field !== undefined && (ownValue(this.#json, field.key) ?? null) !== null;
  }

  *keys(): Generator<Value> {
    for (const [name, { key }] of this.#schema.fields) if (ownValue(this.#json, key) !== undefined) yield name;
  }

  override equalTo(other: Mapping, counter: StepCounter): boolean | undefined {
    if (!(other instanceof SchemaObject)) return undefined;
    if (this.#json === other.#json) return true;
    for (const key of Object.keys(this.#json)) {
      if (!Object.hasOwn(other.#json, key)) return false;
      const [left, right] = [this.#json[key], other.#json[key]];
      if (left === right) continue;
      const [adapt, adaptOther] = [this.#schema.known.get(key), other.#schema.known.get(key)];
      if (adapt === undefined || adaptOther === undefined) {
        counter.counter(JSON.stringify(left)?.length ?? 0);
        if (!deepEqual(left, right)) return false;
      } else if (!equals(adapt(left), adaptOther(right), counter)) return false;
    }
    return true;
  }
}
