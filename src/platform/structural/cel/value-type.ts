import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  LIST,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  Type,
  UINT,
} from './types.ts';
import { Duration, List, Mapping, Opaque, Optional, Timestamp, Uint, type Value } from './values.ts';

/** Returns the type of a value as far as the value itself determines it. */
export function typeOfValue(value: Value): Type {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    default:
  }
  if (value === null) return NULL;
  if (value instanceof List) return LIST;
  if (value instanceof Mapping || value instanceof Opaque) return value.type;
  if (value instanceof Type) return TYPE;
  if (value instanceof Uint) return UINT;
  if (value instanceof Timestamp) return TIMESTAMP;
  if (value instanceof Duration) return DURATION;
  return value instanceof Optional ? optionalOf(DYN) : BYTES;
}

/** Reports whether a value can be an argument of a type. The contents of lists and maps are not checked. */
export function fits(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
    case 'list':
      return value instanceof List;
    case 'map':
    case 'object':
      return value instanceof Mapping;
    case 'type':
      return value instanceof Type;
    case 'uint':
      return value instanceof Uint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'null':
      return value === null;
    case 'opaque':
      return type.name === 'optional_type'
        ? value instanceof Optional
        : value instanceof Opaque && value.type.name === type.name;
    default:
      return false;
  }
}
