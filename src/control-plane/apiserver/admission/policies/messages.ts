import { setOwn } from '#platform/base/own-value';
import { fn, type Library, type MessageKind } from '#platform/structural/cel/library';
import { DYN, objectOf, STRING, type Type } from '#platform/structural/cel/types';
import { EvaluationError, List, Mapping, type Value } from '#platform/structural/cel/values';

/** Declares every field name, because a message may have any field. */
class AnyFields extends Map<string, Type> {
  override get(): Type {
    return DYN;
  }
}

/** A message that an expression constructed: Object{...}, Object.spec{...} or JSONPatch{...}. */
export class ExpressionMessage extends Mapping {
  readonly type: Type;
  readonly #fields: ReadonlyMap<string, Value>;

  constructor(type: Type, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined;
  }

  keys(): Iterable<Value> {
    return this.#fields.keys();
  }
}

const kinds = new Map<string, MessageKind>();

/** Returns the type of a part of an object, which is named by its path, such as Object.spec.containers. */
function objectKind(name: string): MessageKind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const type = objectOf(name, new AnyFields());
  const kind: MessageKind = { type, field: () => DYN, build: (fields) => new ExpressionMessage(type, fields) };
  kinds.set(name, kind);
  return kind;
}

const PATCH_FIELDS = new Map<string, Type>([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);
const JSON_PATCH = objectOf('JSONPatch', PATCH_FIELDS);
const patchKind: MessageKind = {
  type: JSON_PATCH,
  field: (name) => PATCH_FIELDS.get(name),
  build: (fields) => new ExpressionMessage(JSON_PATCH, fields),
};

/** Additional functions and types for mutating policies. */
export const MUTATIONS: Library = {
  overloads: [
    fn('jsonpatch.escapeKey', 'string -> string', (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')),
  ],
  messages: (name) => {
    if (name === 'JSONPatch') return patchKind;
    return name === 'Object' || name.startsWith('Object.') ? objectKind(name) : undefined;
  },
};

/**
 * Converts a value to JSON. With a `path`, the types of messages must match the path that they are at, otherwise they
 * do not matter.
 */
export function jsonOf(value: Value, path?: string): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new EvaluationError(`unsupported value: ${value}`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof List) return Array.from({ length: value.size }, (_, i) => jsonOf(value.at(i), path));
  if (!(value instanceof Mapping)) throw new EvaluationError('unsupported type for field in a patch');
  const typed = path !== undefined && value instanceof ExpressionMessage;
  if (typed && value.type.name !== path) {
    throw new EvaluationError(
      `type mismatch: unexpected type name ${JSON.stringify(value.type.name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
    );
  }
  const object: Record<string, unknown> = {};
  for (const key of value.keys()) {
    if (typeof key !== 'string') throw new EvaluationError('a key of an object must be a string');
    setOwn(object, key, jsonOf(value.get(key) ?? null, path === undefined ? undefined : `${path}.${key}`));
  }
  return object;
}
