export type TypeKind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'list'
  | 'map'
  | 'type'
  | 'param'
  | 'object'
  | 'opaque';

/** Type of the language. It is also a value, since expressions may compare types. */
export class Type {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly Type[];
  /** Fields of an object type, by their name in expressions. */
  readonly fields: ReadonlyMap<string, Type> | undefined;

  constructor(kind: TypeKind, name: string, params: readonly Type[] = [], fields?: ReadonlyMap<string, Type>) {
    this.kind = kind;
    this.name = name;
    this.params = params;
    this.fields = fields;
  }

  get isDyn(): boolean {
    return this.kind === 'dyn' || this.kind === 'error';
  }
}

export const BOOL = new Type('bool', 'bool');
export const INT = new Type('int', 'int');
export const UINT = new Type('uint', 'uint');
export const DOUBLE = new Type('double', 'double');
export const STRING = new Type('string', 'string');
export const BYTES = new Type('bytes', 'bytes');
export const NULL = new Type('null', 'null_type');
export const TIMESTAMP = new Type('timestamp', 'google.protobuf.Timestamp');
export const DURATION = new Type('duration', 'google.protobuf.Duration');
export const DYN = new Type('dyn', 'dyn');
export const ERROR = new Type('error', '!error!');
export const TYPE = new Type('type', 'type');

export const listOf = (item: Type): Type => new Type('list', 'list', [item]);
export const mapOf = (key: Type, value: Type): Type => new Type('map', 'map', [key, value]);
export const typeOf = (type: Type): Type => new Type('type', 'type', [type]);
export const param = (name: string): Type => new Type('param', name);
export const opaque = (name: string, ...params: Type[]): Type => new Type('opaque', name, params);
export const objectOf = (name: string, fields: ReadonlyMap<string, Type>): Type => new Type('object', name, [], fields);
export const optionalOf = (held: Type): Type => opaque('optional_type', held);

export const LIST = listOf(DYN);
export const MAP = mapOf(DYN, DYN);

export function isOptional(type: Type): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** Returns the type inside an optional type, or the type itself. */
export function unwrapOptional(type: Type): Type {
  return isOptional(type) ? (type.params[0] ?? DYN) : type;
}

/** Formats a type for messages: list(string), map(string, int), kubernetes.Quantity. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'null':
    case 'timestamp':
    case 'duration':
      return type.kind;
    case 'param':
    case 'object':
      return type.name;
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
  }
}

/** Formats the argument types of a call for messages: (int, string), or string.(int) for a method. */
export function formatCallTypes(types: readonly Type[], isMethod: boolean): string {
  const [first, ...rest] = types;
  if (!isMethod || first === undefined) return `(${types.map(formatType).join(', ')})`;
  return `${formatType(first)}.(${rest.map(formatType).join(', ')})`;
}

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind === 'param' || a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((inner, i) => sameType(inner, b.params[i] as Type));
}
