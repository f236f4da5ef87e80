import { doubleToInt, doubleToUint, formatDouble, int64, uint64 } from '../arithmetic.ts';
import { fn, type Library, method } from '../library.ts';
import { runeCount } from '../text.ts';
import { formatCelDuration, formatTimestamp, inRange, parseCelDuration, parseTimestamp } from '../time.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  LIST,
  MAP,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  type Type,
  typeOf,
  UINT,
} from '../types.ts';
import { typeOfValue } from '../value-type.ts';
import {
  Duration,
  EvaluationError,
  type List,
  type Mapping,
  type StepCounter,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts';

const SECOND = 1_000_000_000n;

function intOf(text: string): bigint {
  if (!/^[+-]?[0-9]{1,30}$/.test(text)) throw conversionError('int');
  return int64(BigInt(text.replace(/^\+/, '')));
}

function uintOf(text: string): Uint {
  if (!/^[0-9]{1,30}$/.test(text)) throw conversionError('uint');
  return new Uint(uint64(BigInt(text)));
}

function doubleOf(text: string): number {
  if (/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special === null) throw conversionError('double');
  if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function boolOf(text: string): boolean {
  if (/^(?:1|t|true|TRUE|True|T)$/.test(text)) return true;
  if (/^(?:0|f|false|FALSE|False|F)$/.test(text)) return false;
  throw conversionError('bool');
}

function conversionError(type: string): EvaluationError {
  return new EvaluationError(`type conversion error from 'string' to '${type}'`);
}

function timestampOf(text: string): Timestamp {
  const ns = parseTimestamp(text);
  if (ns === undefined) throw conversionError('google.protobuf.Timestamp');
  return new Timestamp(inRange(ns));
}

function durationOf(text: string): Duration {
  const ns = parseCelDuration(text);
  if (ns === undefined) throw conversionError('google.protobuf.Duration');
  return new Duration(ns);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const same = (value: Value): Value => value;

function sizeOfText(text: string, counter: StepCounter): bigint {
  counter.counter(text.length / 16);
  return BigInt(runeCount(text));
}

const TYPES: readonly (readonly [string, Type])[] = [
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', LIST],
  ['map', MAP],
  ['type', TYPE],
  ['dyn', DYN],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
];

export const CONVERSIONS: Library = {
  constants: new Map(TYPES.map(([name, type]) => [name, { type: typeOf(type), value: type }])),
  overloads: [
    fn('bool', 'bool -> bool', same),
    fn('bool', 'string -> bool', boolOf),
    fn('int', 'int -> int', same),
    fn('int', 'uint -> int', (a: Uint) => int64(a.value)),
    fn('int', 'double -> int', doubleToInt),
    fn('int', 'string -> int', intOf),
    fn('int', 'timestamp -> int', (a: Timestamp) => (a.ns - (((a.ns % SECOND) + SECOND) % SECOND)) / SECOND),
    fn('int', 'duration -> int', (a: Duration) => a.ns),
    fn('uint', 'uint -> uint', same),
    fn('uint', 'int -> uint', (a: bigint) => new Uint(uint64(a))),
    fn('uint', 'double -> uint', (a: number) => new Uint(doubleToUint(a))),
    fn('uint', 'string -> uint', uintOf),
    fn('double', 'double -> double', same),
    fn('double', 'int -> double', (a: bigint) => Number(a)),
    fn('double', 'uint -> double', (a: Uint) => Number(a.value)),
    fn('double', 'string -> double', doubleOf),
    fn('string', 'string -> string', same),
    fn('string', 'bool -> string', (a: boolean) => String(a)),
    fn('string', 'int -> string', (a: bigint) => a.toString()),
    fn('string', 'uint -> string', (a: Uint) => a.value.toString()),
    fn('string', 'double -> string', formatDouble),
    fn('string', 'bytes -> string', decode),
    fn('string', 'timestamp -> string', (a: Timestamp) => formatTimestamp(a.ns)),
    fn('string', 'duration -> string', (a: Duration) => formatCelDuration(a.ns)),
    fn('bytes', 'bytes -> bytes', same),
    fn('bytes', 'string -> bytes', (a: string) => new TextEncoder().encode(a)),
    fn('timestamp', 'timestamp -> timestamp', same),
    fn('timestamp', 'string -> timestamp', timestampOf),
    fn('timestamp', 'int -> timestamp', (a: bigint) => new Timestamp(inRange(a * SECOND))),
    fn('duration', 'duration -> duration', same),
    fn('duration', 'string -> duration', durationOf),
    fn('duration', 'int -> duration', (a: bigint) => new Duration(a)),
    fn('dyn', 'A -> dyn', same),
    fn('type', 'A -> type(A)', (a: Value) => typeOfValue(a)),
    ...[fn, method].flatMap((declare) => [
      declare('size', 'string -> int', sizeOfText),
      declare('size', 'bytes -> int', (a: Uint8Array) => BigInt(a.length)),
      declare('size', 'list(A) -> int', (a: List) => BigInt(a.size)),
      declare('size', 'map(A, B) -> int', (a: Mapping) => BigInt(a.size)),
    ]),
  ],
};
