import { toBase64 } from '#platform/base/base64';
import { ParseError } from '#platform/base/errors';
import { setOwn } from '#platform/base/own-value';
import { type MessageField, type MessageShape, messageShape, type Scalar } from '../builtin-schema/message-shape.ts';
import { specialMessage } from './special-message.ts';
import { WireReader } from './wire-reader.ts';

type Json = Record<string, unknown>;

/** Maximum depth, beyond that of any real object. A short body could nest far deeper. */
const MAX_DEPTH = 500;

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const WIRE: Readonly<Record<Scalar, number>> = {
  string: DELIMITED,
  bytes: DELIMITED,
  bool: VARINT,
  int32: VARINT,
  int64: VARINT,
  double: FIXED_64,
};

/** Decodes a message to its JSON object. Throws a ParseError if the bytes are not such a message. */
export function decodeMessage(bytes: Uint8Array, name: string): Json {
  const reader = new WireReader(bytes);
  const value = message(reader, reader.length, name, 0);
  return (typeof value === 'object' && value !== null ? value : {}) as Json;
}

function message(reader: WireReader, end: number, name: string, depth: number, into?: Json): unknown {
  if (depth > MAX_DEPTH) throw new ParseError(`proto: nested more than ${MAX_DEPTH} levels deep`);
  reader.beginMessage();
  const shape = messageShape(name);
  const special = specialMessage(name);
  const json = special === undefined ? (into ?? {}) : {};
  fields(reader, end, shape, json, depth);
  if (special !== undefined) return special.toJson(json);
  for (const field of shape.unasked) if (!Object.hasOwn(json, field.json)) setOwn(json, field.json, absent(field));
  return json;
}

/** Returns the value that Go writes for a field that is not on the wire. */
function absent(field: MessageField): unknown {
  if (field.absent === 'null') return null;
  if (!field.scalar) return message(new WireReader(new Uint8Array()), 0, field.type, 0);
  return field.type === 'string' ? '' : field.type === 'bool' ? false : 0;
}

function fields(reader: WireReader, end: number, shape: MessageShape, json: Json, depth: number): void {
  while (reader.at < end) {
    const { id, wire } = reader.tag(shape.struct);
    const field = shape.byId.get(id);
    if (field === undefined) reader.skip(wire);
    else read(reader, end, field, wire, json, depth);
    reader.expectWithin(end);
  }
}

function read(reader: WireReader, end: number, field: MessageField, wire: number, json: Json, depth: number): void {
  const packed = field.container === 'list' && wire === DELIMITED && field.scalar;
  const expected = field.scalar && field.container !== 'map' ? WIRE[field.type as Scalar] : DELIMITED;
  if (wire !== expected && !packed) {
    const name = field.json.charAt(0).toUpperCase() + field.json.slice(1);
    throw new ParseError(`proto: wrong wireType = ${wire} for field ${name}`);
  }
  if (field.inline) fields(reader, reader.end(end), messageShape(field.type), json, depth + 1);
  else if (field.container === 'map') entry(reader, reader.end(end), field, mapOf(json, field), depth);
  else if (field.container === 'one') {
    const before = Object.hasOwn(json, field.json) ? json[field.json] : undefined;
    put(json, field, value(reader, end, field, depth, isObject(before) ? before : undefined));
  } else if (packed && wire !== expected) {
    const last = reader.end(end);
    while (reader.at < last) listOf(json, field).push(value(reader, last, field, depth));
  } else listOf(json, field).push(value(reader, end, field, depth));
}

function value(reader: WireReader, end: number, field: MessageField, depth: number, into?: Json): unknown {
  switch (field.type) {
    case 'string':
      return reader.string();
    case 'bytes':
      return field.raw ? reader.bytes() : toBase64(reader.bytes());
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return reader.int64();
    case 'double':
      return finite(reader.double());
    default:
      return message(reader, reader.end(end), field.type, depth + 1, into);
  }
}

function put(json: Json, field: MessageField, read: unknown): void {
  const zero = read === '' || read === 0 || read === false || (read === null && field.omitsZero);
  if (zero && field.omitsZero) delete json[field.json];
  else setOwn(json, field.json, read);
}

/** Adds one entry of a map, which is a message of a key and a value. */
function entry(reader: WireReader, end: number, field: MessageField, map: Json, depth: number): void {
  let key = '';
  let found: unknown;
  while (reader.at < end) {
    const { id, wire } = reader.tag('entry');
    if (id === 1 && wire === DELIMITED) key = reader.string();
    else if (id === 2 && wire === (field.scalar ? WIRE[field.type as Scalar] : DELIMITED)) {
      found = value(reader, end, field, depth + 1);
    } else reader.skip(wire);
    reader.expectWithin(end);
  }
  if (found === undefined) found = field.scalar ? '' : absent({ ...field, absent: 'zero' });
  setOwn(map, key, found);
}

function listOf(json: Json, field: MessageField): unknown[] {
  const list = json[field.json];
  if (Array.isArray(list)) return list;
  const fresh: unknown[] = [];
  setOwn(json, field.json, fresh);
  return fresh;
}

function mapOf(json: Json, field: MessageField): Json {
  const map = json[field.json];
  if (isObject(map)) return map;
  const fresh: Json = {};
  setOwn(json, field.json, fresh);
  return fresh;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Rejects numbers that JSON, in which objects are stored, cannot represent. */
function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new ParseError(`${value} cannot be represented in JSON`);
}
