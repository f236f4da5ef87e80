import { setOwn } from '#platform/base/own-value';
import { runSteps, type Steps } from '#platform/base/steps';
import { base64Problem } from './base64.ts';
import { DecodeWalk } from './decode-walk.ts';
import { schemaNameOf } from './kinds.ts';
import { type Field, goTypeOf, isMessage, messageNameOf } from './message-shape.ts';
import { type PlannedField, type ReadPlan, readPlan } from './read-plan.ts';

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
  return runSteps(builtInDecoding(apiVersion, kind, body));
}

/** The same in steps. */
export function* builtInDecoding(apiVersion: string, kind: string, body: unknown): Steps<Decoded | undefined> {
  const schemaName = schemaNameOf(apiVersion, kind);
  const message = schemaName === undefined ? '' : messageOf(schemaName);
  if (message === '') return undefined;
  const walk = new DecodeWalk(readMessage);
  const object = readMessage(body, message, walk);
  if (walk.isUnfinished) yield* walk.finish();
  return decoded(object, walk);
}

function decoded(object: unknown, walk: DecodeWalk): Decoded {
  const { unknown, error } = walk;
  return { object: (object ?? {}) as Json, unknown, ...(error === undefined ? {} : { error }) };
}

/**
 * Why an object that was put together from parts is not of a built-in kind, in Go's words for that; undefined where it
 * is, or the kind is not built in.
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

/** '' where there is none. */
function messageOf(schemaName: string): string {
  let message = messages.get(schemaName);
  if (message === undefined) {
    const name = messageNameOf(schemaName);
    message = isMessage(name) ? name : '';
    messages.set(schemaName, message);
  }
  return message;
}

/** By schema. */
const messages = new Map<string, string>();

const OBJECT_META = 'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Reads the metadata of an object of any kind, also of one that is not built in. */
export function decodeObjectMeta(body: unknown): Decoded {
  return runSteps(objectMetaDecoding(body));
}

/** The same in steps. */
export function* objectMetaDecoding(body: unknown): Steps<Decoded> {
  const walk = new DecodeWalk(readMessage);
  const object = readMessage(body, OBJECT_META, walk);
  if (walk.isUnfinished) yield* walk.finish();
  return decoded(object, walk);
}

/** The error of a request that wants its fields strictly validated. */
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
  // A member without a value is none in JSON.
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

function readField(value: unknown, field: Field, walk: DecodeWalk): unknown {
  if (value === null) return field.absent === 'zero' ? zeroOf(field) : undefined;
  if (field.container === 'one') return readOne(value, field, field.goType, walk);
  if (field.container === 'list') {
    if (!Array.isArray(value)) return walk.mismatch(value, field.goType, 'slice');
    return readList(value, field, walk);
  }
  if (typeof value !== 'object' || Array.isArray(value)) return walk.mismatch(value, field.goType, 'map');
  return readMap(value as Json, field, walk);
}

/** Lists and maps with more entries are read after everything else, with turns for others between so many of them. */
const CHUNK = 2_048;

/** Nothing where Go would leave out an empty list. */
function readList(value: readonly unknown[], field: Field, walk: DecodeWalk): unknown[] | undefined {
  if (value.length === 0 && field.omitsZero) return undefined;
  if (value.length <= CHUNK || !walk.postpones) return value.map((entry, i) => readItem(entry, i, field, walk));
  const items: unknown[] = [];
  walk.postpone(listSteps(items, value, field, walk));
  return items;
}

function* listSteps(items: unknown[], value: readonly unknown[], field: Field, walk: DecodeWalk): Steps<void> {
  for (let i = 0; i < value.length; i++) {
    if (i > 0 && i % CHUNK === 0) yield;
    items.push(readItem(value[i], i, field, walk));
  }
}

/** Nothing where Go would leave out an empty map. */
function readMap(value: Json, field: Field, walk: DecodeWalk): Json | undefined {
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

function* mapSteps(entries: Json, keys: readonly string[], value: Json, field: Field, walk: DecodeWalk): Steps<void> {
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

function readEntry(read: Entry[], key: string, value: Json, field: Field, walk: DecodeWalk): void {
  // A member without a value is none in JSON.
  if (value[key] !== undefined) read.push({ key, item: readItem(value[key], key, field, walk) });
}

/** Go writes maps by key. */
function sortEntries(read: Entry[]): void {
  if (!read.every(({ key }, i) => i === 0 || (read[i - 1] as Entry).key < key)) read.sort(byKey);
}

const byKey = (a: Entry, b: Entry) => (a.key < b.key ? -1 : 1);

function readItem(value: unknown, segment: string | number, field: Field, walk: DecodeWalk): unknown {
  walk.enterItem(segment);
  const read = value === null ? zeroItemOf(field) : readOne(value, field, field.itemType, walk);
  walk.leave();
  return read;
}

function readOne(value: unknown, field: Field, goType: string, walk: DecodeWalk): unknown {
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

/** Bytes are base64 in JSON; Go takes a list of numbers too. */
function readBytes(value: unknown, goType: string, walk: DecodeWalk): unknown {
  if (Array.isArray(value)) {
    const wrong = value.findIndex((item) => !isInteger(item, 256) || item < 0);
    return wrong < 0 ? Buffer.from(value).toString('base64') : walk.mismatch(value[wrong], 'uint8', 'int32');
  }
  if (typeof value !== 'string') return walk.mismatch(value, goType, 'slice');
  const problem = base64Problem(value);
  return problem === undefined ? Buffer.from(value, 'base64').toString('base64') : walk.failBytes(problem);
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
      const plan = readPlan(field.type);
      return plan.special === undefined ? writeFields([], plan, {}) : plan.special.zero;
    }
  }
}

/** A structure as Go writes it: its fields in their order, without those that it leaves out when empty. */
function writeFields(read: readonly unknown[], plan: ReadPlan, out: Json): Json {
  const { ordered } = plan;
  for (let i = 0; i < ordered.length; i++) {
    const { field, slot } = ordered[i] as PlannedField;
    const value = read[slot];
    if (value !== undefined) {
      // Empty lists and maps were read as nothing.
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
