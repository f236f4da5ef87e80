import { base64Problem } from './base64.ts';
import { DecodeWalk } from './decode-walk.ts';
import { schemaNameOf } from './kinds.ts';
import {
  type Field,
  goTypeOf,
  isMessage,
  type MessageShape,
  messageNameOf,
  messageShape,
  structName,
} from './message-shape.ts';
import { specialJson } from './special-json.ts';

type Json = Record<string, unknown>;

/** A body as the API server understands it. */
export interface Decoded {
  /** The object as Go would write it again: without unknown fields, without what is empty, quantities and times in their one form. */
  readonly object: Json;
  /** The paths of fields that the kind does not have: spec.containers[0].foo. */
  readonly unknown: readonly string[];
  /** Why the body is not of its kind, in Go's words; `object` is then of no use. */
  readonly error?: string;
}

/** Reads a JSON body of a built-in kind; undefined where the kind is not built in. The body itself stays as it is. */
export function decodeBuiltIn(apiVersion: string, kind: string, body: unknown): Decoded | undefined {
  const schemaName = schemaNameOf(apiVersion, kind);
  const message = schemaName === undefined ? undefined : messageNameOf(schemaName);
  if (message === undefined || !isMessage(message)) return undefined;
  const walk = new DecodeWalk(readMessage);
  const object = (readMessage(body, message, walk) ?? {}) as Json;
  return { object, unknown: walk.unknown, ...(walk.error === undefined ? {} : { error: walk.error }) };
}

const OBJECT_META = 'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Reads the metadata of an object of any kind, also of one that is not built in. */
export function decodeObjectMeta(body: unknown): Decoded {
  const walk = new DecodeWalk(readMessage);
  const object = (readMessage(body, OBJECT_META, walk) ?? {}) as Json;
  return { object, unknown: walk.unknown, ...(walk.error === undefined ? {} : { error: walk.error }) };
}

/** The error of a request that wants its fields strictly validated. */
export function strictDecodingError(unknown: readonly string[]): string {
  return `strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`;
}

function readMessage(value: unknown, message: string, walk: DecodeWalk): unknown {
  const special = specialJson(message);
  if (special !== undefined) return special.read(value, walk);
  const shape = messageShape(message);
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    return walk.mismatch(value, goTypeOf(message));
  }
  if (walk.tooDeep) return walk.refuse('exceeded max depth');
  const read: Json = {};
  const source = (value ?? {}) as Json;
  for (const key of Object.keys(source)) readKey(source[key], key, shape, walk, read);
  return written(read, shape);
}

const TYPE_META = ['kind', 'apiVersion'] as const;

function readKey(value: unknown, key: string, shape: MessageShape, walk: DecodeWalk, read: Json): void {
  const struct = structName(shape);
  const found = lookUp(shape, key);
  if (found !== undefined) {
    walk.enterField(key, struct, found.through);
    const result = readField(value, found.field, walk);
    if (result !== undefined) read[key] = result;
    walk.leaveField();
  } else if (shape.typed && (key === 'kind' || key === 'apiVersion')) {
    walk.enterField(key, struct, 'TypeMeta');
    if (typeof value === 'string') read[key] = value;
    else if (value !== null) walk.mismatch(value, 'string');
    walk.leaveField();
  } else walk.unknownField(key);
}

interface Found {
  readonly field: Field;
  /** The inlined structure that the field really belongs to. */
  readonly through?: string;
}

/** Finds a field of a structure or of one that is inlined in it. */
function lookUp(shape: MessageShape, key: string): Found | undefined {
  const own = shape.byJson.get(key);
  if (own !== undefined) return { field: own };
  for (const inlined of shape.inlined) {
    const inner = lookUp(messageShape(inlined.type), key);
    if (inner !== undefined) {
      return {
        field: inner.field,
        through: inner.through === undefined ? inlined.json : `${inlined.json}.${inner.through}`,
      };
    }
  }
  return undefined;
}

function readField(value: unknown, field: Field, walk: DecodeWalk): unknown {
  if (value === null) return field.absent === 'zero' ? zeroOf(field) : undefined;
  if (field.container === 'one') return readOne(value, field, field.goType, walk);
  if (field.container === 'list') {
    if (!Array.isArray(value)) return walk.mismatch(value, field.goType);
    const item = field.goType.startsWith('[]') ? field.goType.slice(2) : goTypeOf(field.type);
    return value.map((entry, i) => readItem(entry, i, field, item, walk));
  }
  if (typeof value !== 'object' || Array.isArray(value)) return walk.mismatch(value, field.goType);
  const item = /^map\[[\w.]+\](.*)$/.exec(field.goType)?.[1] ?? goTypeOf(field.type);
  const entries = Object.entries(value).map(([key, entry]) => [key, readItem(entry, key, field, item, walk)] as const);
  // Go writes maps by key; and fromEntries takes __proto__ for a key like any other.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readItem(value: unknown, segment: string | number, field: Field, goType: string, walk: DecodeWalk): unknown {
  walk.enterItem(segment);
  const read = value === null ? zeroItemOf(field) : readOne(value, field, goType, walk);
  walk.leaveItem();
  return read;
}

function readOne(value: unknown, field: Field, goType: string, walk: DecodeWalk): unknown {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? value : walk.mismatch(value, goType);
    case 'bool':
      return typeof value === 'boolean' ? value : walk.mismatch(value, goType);
    case 'int32':
      return isInteger(value, 2 ** 31) ? value : walk.mismatch(value, goType);
    case 'int64':
      return isInteger(value, 2 ** 63) ? value : walk.mismatch(value, goType);
    case 'double':
      return typeof value === 'number' ? value : walk.mismatch(value, goType);
    case 'bytes':
      return readBytes(value, goType, walk);
    default:
      return readMessage(value, field.type, walk);
  }
}

/** Bytes are base64 in JSON; Go takes a list of numbers too. */
function readBytes(value: unknown, goType: string, walk: DecodeWalk): unknown {
  if (Array.isArray(value)) {
    const wrong = value.findIndex((item) => !isInteger(item, 256) || item < 0);
    return wrong < 0 ? Buffer.from(value).toString('base64') : walk.mismatch(value[wrong], 'uint8');
  }
  if (typeof value !== 'string') return walk.mismatch(value, goType);
  const problem = base64Problem(value);
  return problem === undefined ? Buffer.from(value, 'base64').toString('base64') : walk.fail(problem);
}

const isInteger = (value: unknown, bound: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value < bound && value >= -bound;

/** In a list or a map, no bytes are an empty text. */
function zeroItemOf(field: Field): unknown {
  return field.type === 'bytes' ? '' : zeroOf(field);
}

function zeroOf(field: Field): unknown {
  switch (field.type) {
    case 'string':
      return '';
    case 'bytes':
      return null;
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    default: {
      const special = specialJson(field.type);
      return special === undefined ? written({}, messageShape(field.type)) : special.zero;
    }
  }
}

/** A structure as Go writes it: its fields in their order, without those that it leaves out when empty. */
function written(read: Json, shape: MessageShape): Json {
  const out: Json = {};
  if (shape.typed) for (const key of TYPE_META) if (read[key]) out[key] = read[key];
  writeFields(read, shape, out);
  return out;
}

function writeFields(read: Json, shape: MessageShape, out: Json): void {
  for (const field of shape.byId.values()) {
    if (field.inline) writeFields(read, messageShape(field.type), out);
    else if (Object.hasOwn(read, field.json)) {
      const value = read[field.json];
      if (!field.omitsZero || !isEmpty(value)) out[field.json] = value;
    } else if (field.absent === 'null') out[field.json] = null;
    else if (field.absent === 'zero') out[field.json] = zeroOf(field);
  }
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  }
  return value === '' || value === 0 || value === false || value === null;
}
