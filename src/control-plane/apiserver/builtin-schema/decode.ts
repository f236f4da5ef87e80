import { binaryFromBase64, toBase64 } from '#platform/base/base64';
import { setOwn } from '#platform/base/own-value';
import { runSteps, type Steps } from '#platform/base/steps';
import { base64Problem } from './base64.ts';
import { DecodeWalk } from './decode-walk.ts';
import { schemaNameOf } from './kinds.ts';
import { goTypeOf, isMessage, type MessageField, messageNameOf } from './message-shape.ts';
import { type PlannedField, type ReadPlan, readPlan } from './read-plan.ts';

type Json = Record<string, unknown>;

/** A decoded body as the API server interprets it. */
export interface DecodedObject {
  /** Object as Go would encode it again: without unknown and empty fields, with canonical quantities and times. */
  readonly object: Json;
  /** Paths of unknown fields such as spec.containers[0].foo. */
  readonly unknown: readonly string[];
  /** Reason in Go's words why the body is not of its kind. The `object` is then unusable. */
  readonly error?: string;
}

/** Decodes a JSON body of a built-in kind without changing it. Returns undefined if the kind is not built in. */
export function decodeBuiltIn(apiVersion: string, kind: string, body: unknown): DecodedObject | undefined {
  return runSteps(builtInDecoding(apiVersion, kind, body));
}

/** Decodes a JSON body in steps. */
export function* builtInDecoding(apiVersion: string, kind: string, body: unknown): Steps<DecodedObject | undefined> {
  const schemaName = schemaNameOf(apiVersion, kind);
  const message = schemaName === undefined ? '' : messageOf(schemaName);
  if (message === '') return undefined;
  const walk = new DecodeWalk(readMessage);
  const object = readMessage(body, message, walk);
  if (walk.isUnfinished) yield* walk.finish();
  return withProblems(object, walk);
}

function withProblems(object: unknown, walk: DecodeWalk): DecodedObject {
  const { unknown, error } = walk;
  return { object: (object ?? {}) as Json, unknown, ...(error === undefined ? {} : { error }) };
}

/**
 * Returns in Go's words why an object assembled from parts is not of a built-in kind. Undefined if it is, or if the
 * kind is not built in.
 */
export function conversionProblem(apiVersion: string, kind: string, object: unknown): string | undefined {
  const schemaName = schemaNameOf(apiVersion, kind);
  const message = schemaName === undefined ? '' : messageOf(schemaName);
  if (message === '') return undefined;
  const walk = new DecodeWalk(readMessage, true);
  readMessage(object, message, walk);
  runSteps(walk.finish());
  return walk.error;
}

/** Returns the message of a schema, '' if there is none. */
function messageOf(schemaName: string): string {
  let message = messages.get(schemaName);
  if (message === undefined) {
    const name = messageNameOf(schemaName);
    message = isMessage(name) ? name : '';
    messages.set(schemaName, message);
  }
  return message;
}

/** Message names by schema name. */
const messages = new Map<string, string>();

const OBJECT_META = 'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Decodes the metadata of an object of any kind, built in or not. */
export function decodeObjectMeta(body: unknown): DecodedObject {
  return runSteps(objectMetaDecoding(body));
}

/** Decodes the metadata in steps. */
export function* objectMetaDecoding(body: unknown): Steps<DecodedObject> {
  const walk = new DecodeWalk(readMessage);
  const object = readMessage(body, OBJECT_META, walk);
  if (walk.isUnfinished) yield* walk.finish();
  return withProblems(object, walk);
}

/** Formats the error of a request with strict field validation. */
export function strictDecodingError(unknown: readonly string[]): string {
  return `strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(', ')}`;
}

function readMessage(value: unknown, message: string, walk: DecodeWalk): unknown {
  const plan = readPlan(message);
  if (plan.special !== undefined) return plan.special.read(value, walk);
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    return walk.mismatch(value, goTypeOf(message), 'struct');
  }
  if (walk.tooDeep) return walk.refuse('exceeded max depth');
  const source = (value ?? {}) as Json;
  const out: Json = {};
  if (plan.type.size > 0) readType(source, plan, out);
  const read: unknown[] = [];
  for (const key of Object.keys(source)) readKey(source[key], key, plan, walk, read);
  return writeFields(read, plan, out);
}

function readType(source: Json, plan: ReadPlan, out: Json): void {
  for (const key of plan.type.keys()) if (typeof source[key] === 'string' && source[key] !== '') out[key] = source[key];
}

function readKey(value: unknown, key: string, plan: ReadPlan, walk: DecodeWalk, read: unknown[]): void {
  // An undefined member does not exist in JSON.
  if (value === undefined) return;
  const planned = plan.byName.get(key);
  if (planned !== undefined) {
    walk.enterField(planned);
    read[planned.slot] = readField(value, planned.field, walk);
    walk.leave();
    return;
  }
  const place = plan.type.get(key);
  if (place === undefined) walk.unknownField(key);
  else if (typeof value !== 'string' && value !== null) {
    walk.enterField(place);
    walk.mismatch(value, 'string', 'string');
    walk.leave();
  }
}

function readField(value: unknown, field: MessageField, walk: DecodeWalk): unknown {
  if (value === null) return field.absent === 'zero' ? zeroOf(field) : undefined;
  if (field.container === 'one') return readOne(value, field, field.goType, walk);
  if (field.container === 'list') {
    if (!Array.isArray(value)) return walk.mismatch(value, field.goType, 'slice');
    return readList(value, field, walk);
  }
  if (typeof value !== 'object' || Array.isArray(value)) return walk.mismatch(value, field.goType, 'map');
  return readMap(value as Json, field, walk);
}

/** Longer lists and maps are read after everything else, with a yield after each chunk of this many entries. */
const CHUNK = 2_048;

/** Reads a list. Returns undefined for an empty one that Go would omit. */
function readList(value: readonly unknown[], field: MessageField, walk: DecodeWalk): unknown[] | undefined {
  if (value.length === 0 && field.omitsZero) return undefined;
  if (value.length <= CHUNK || !walk.postpones) return value.map((entry, i) => readItem(entry, i, field, walk));
  const items: unknown[] = [];
  walk.postpone(listSteps(items, value, field, walk));
  return items;
}

function* listSteps(items: unknown[], value: readonly unknown[], field: MessageField, walk: DecodeWalk): Steps<void> {
  for (let i = 0; i < value.length; i++) {
    if (i > 0 && i % CHUNK === 0) yield;
    items.push(readItem(value[i], i, field, walk));
  }
}

/** Reads a map. Returns undefined for an empty one that Go would omit. */
function readMap(value: Json, field: MessageField, walk: DecodeWalk): Json | undefined {
  const keys = Object.keys(value);
  const entries: Json = {};
  if (keys.length > CHUNK && walk.postpones) {
    walk.postpone(mapSteps(entries, keys, value, field, walk));
    return entries;
  }
  const read: Entry[] = [];
  for (const key of keys) readEntry(read, key, value, field, walk);
  if (read.length === 0 && field.omitsZero) return undefined;
  sortEntries(read);
  for (const { key, item } of read) setOwn(entries, key, item);
  return entries;
}

function* mapSteps(
  entries: Json,
  keys: readonly string[],
  value: Json,
  field: MessageField,
  walk: DecodeWalk,
): Steps<void> {
  const read: Entry[] = [];
  for (let i = 0; i < keys.length; i++) {
    if (i > 0 && i % CHUNK === 0) yield;
    readEntry(read, keys[i] as string, value, field, walk);
  }
  sortEntries(read);
  for (let i = 0; i < read.length; i++) {
    if (i % CHUNK === 0) yield;
    const { key, item } = read[i] as Entry;
    setOwn(entries, key, item);
  }
}

interface Entry {
  readonly key: string;
  readonly item: unknown;
}

function readEntry(read: Entry[], key: string, value: Json, field: MessageField, walk: DecodeWalk): void {
  // An undefined member does not exist in JSON.
  if (value[key] !== undefined) read.push({ key, item: readItem(value[key], key, field, walk) });
}

/** Sorts entries by key, as Go writes maps. */
function sortEntries(read: Entry[]): void {
  if (!read.every(({ key }, i) => i === 0 || (read[i - 1] as Entry).key < key)) read.sort(byKey);
}

const byKey = (a: Entry, b: Entry) => (a.key < b.key ? -1 : 1);

function readItem(value: unknown, segment: string | number, field: MessageField, walk: DecodeWalk): unknown {
  walk.enterItem(segment);
  const read = value === null ? zeroItemOf(field) : readOne(value, field, field.itemType, walk);
  walk.leave();
  return read;
}

function readOne(value: unknown, field: MessageField, goType: string, walk: DecodeWalk): unknown {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? value : walk.mismatch(value, goType, 'string');
    case 'bool':
      return typeof value === 'boolean' ? value : walk.mismatch(value, goType, 'bool');
    case 'int32':
      return isInteger(value, 2 ** 31) ? value : walk.mismatch(value, goType, 'int32');
    case 'int64':
      return isInteger(value, 2 ** 63) ? value : walk.mismatch(value, goType, 'int64');
    case 'double':
      return typeof value === 'number' ? value : walk.mismatch(value, goType, 'float64');
    case 'bytes':
      return readBytes(value, goType, walk);
    default:
      return readMessage(value, field.type, walk);
  }
}

/** Reads bytes, which are base64 in JSON. Go also accepts a list of numbers. */
function readBytes(value: unknown, goType: string, walk: DecodeWalk): unknown {
  if (Array.isArray(value)) {
    const wrong = value.findIndex((item) => !isInteger(item, 256) || item < 0);
    return wrong < 0 ? toBase64(Uint8Array.from(value)) : walk.mismatch(value[wrong], 'uint8', 'int32');
  }
  if (typeof value !== 'string') return walk.mismatch(value, goType, 'slice');
  const problem = base64Problem(value);
  return problem === undefined ? btoa(binaryFromBase64(value)) : walk.failBytes(problem);
}

const isInteger = (value: unknown, bound: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value < bound && value >= -bound;

/** Returns the zero value of an item. In a list or a map, empty bytes are an empty text. */
function zeroItemOf(field: MessageField): unknown {
  return field.type === 'bytes' ? '' : zeroOf(field);
}

function zeroOf(field: MessageField): unknown {
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
      const plan = readPlan(field.type);
      return plan.special === undefined ? writeFields([], plan, {}) : plan.special.zero;
    }
  }
}

/** Writes a structure as Go does: its fields in order, without empty ones that it omits. */
function writeFields(read: readonly unknown[], plan: ReadPlan, out: Json): Json {
  const { ordered } = plan;
  for (let i = 0; i < ordered.length; i++) {
    const { field, slot } = ordered[i] as PlannedField;
    const value = read[slot];
    if (value !== undefined) {
      // Empty lists and maps were read as undefined.
      if (!field.omitsZero || field.container !== 'one' || !isEmpty(value)) out[field.json] = value;
    } else if (field.absent === 'null') out[field.json] = null;
    else if (field.absent === 'zero') out[field.json] = zeroOf(field);
  }
  return out;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? value.length === 0 : isBare(value);
  }
  return value === '' || value === 0 || value === false || value === null;
}

function isBare(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
