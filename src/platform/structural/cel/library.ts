import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  Type,
  typeOf,
  UINT,
} from './types.ts';
import type { StepCounter, Value } from './values.ts';

/**
 * Computes a call from its arguments in order (the receiver of a method first), followed by the counter for extra work.
 */
export type Apply = (...args: never[]) => Value;
export type AnyApply = (...args: (Value | StepCounter)[]) => Value;

/** One form of calling a function. */
export interface Overload {
  readonly fn: string;
  readonly isMethod: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /** Type variables of the signature, renamed for each call. */
  readonly variables: readonly Type[];
  readonly apply: AnyApply;
}

/** Set of functions, types and constants that expressions may use. */
export interface Library {
  readonly overloads: readonly Overload[];
  /** Names that denote values: int, string, net.IP are types. */
  readonly constants?: ReadonlyMap<string, { readonly type: Type; readonly value: Value }>;
  /** Returns the message of this name that expressions may construct. */
  readonly messages?: (name: string) => MessageKind | undefined;
}

/** Message that can be constructed. */
export interface MessageKind {
  readonly type: Type;
  /** Returns the type of a field, or undefined if the message has no such field. */
  field(name: string): Type | undefined;
  build(fields: ReadonlyMap<string, Value>): Value;
}

/** Declares a function: 'int, int -> int', 'list(A), A -> bool'. */
export function fn(name: string, signature: string, apply: Apply): Overload {
  return overload(name, false, signature, apply);
}

/** Declares a method. Its receiver is the first of the parameters. */
export function method(name: string, signature: string, apply: Apply): Overload {
  return overload(name, true, signature, apply);
}

function overload(name: string, isMethod: boolean, signature: string, apply: Apply): Overload {
  const [given = '', result = ''] = signature.split('->');
  const variables = new Map<string, Type>();
  const params = splitTypes(given).map((text) => readType(text, variables));
  return {
    fn: name,
    isMethod,
    params,
    result: readType(result.trim(), variables),
    variables: [...variables.values()],
    apply: apply as unknown as AnyApply,
  };
}

const SIMPLE: ReadonlyMap<string, Type> = new Map([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null', NULL],
  ['timestamp', TIMESTAMP],
  ['duration', DURATION],
  ['dyn', DYN],
]);

function readType(text: string, variables: Map<string, Type>): Type {
  const [, name = '', inner] = /^([\w.]+)(?:\((.*)\))?$/.exec(text) ?? [];
  const params = inner === undefined ? [] : splitTypes(inner).map((part) => readType(part, variables));
  const [first = DYN, second = DYN] = params;
  if (name === 'list') return listOf(first);
  if (name === 'map') return mapOf(first, second);
  if (name === 'type') return typeOf(first);
  if (name === 'optional') return optionalOf(first);
  if (/^[A-Z]$/.test(name)) {
    const variable = variables.get(name) ?? param(name);
    variables.set(name, variable);
    return variable;
  }
  const simple = SIMPLE.get(name);
  if (simple !== undefined) return simple;
  // A library's own type is the same in every signature.
  if (!name.includes('.')) throw new Error(`no type is called "${text}"`);
  return opaque(name);
}

/** Splits at commas that are not inside parentheses. */
function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += char;
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}

/** Makes the name of an opaque type usable in expressions: type(x) == net.IP. */
export function typeConstant(type: Type): readonly [string, { type: Type; value: Value }] {
  return [type.name, { type: typeOf(type), value: type }];
}
