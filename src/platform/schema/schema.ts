import type { CelRule, Json, JsonSchema } from './json-schema.ts';

/** A field must be set (`required`), is filled in when absent (`defaulted`), or may be absent (`optional`). */
type Presence = 'required' | 'defaulted' | 'optional';

declare const OUTPUT: unique symbol;
declare const INPUT: unique symbol;

/**
 * JSON schema and TypeScript type in one value: `json` is sent to the API server, `Output` is the type after
 * defaulting, and `Input` is the type that a user may write.
 */
export interface Schema<Output = unknown, Input = Output, P extends Presence = Presence> {
  readonly json: JsonSchema;
  readonly presence: P;
  readonly [OUTPUT]?: Output;
  readonly [INPUT]?: Input;
}

export type OutputOf<S extends Schema> = S extends Schema<infer Output, infer _Input> ? Output : never;
export type SchemaInputOf<S extends Schema> = S extends Schema<infer _Output, infer Input> ? Input : never;

type Fields = Readonly<Record<string, Schema>>;
type Having<F extends Fields, P extends Presence> = { [K in keyof F]: F[K]['presence'] extends P ? K : never }[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };
type OutputOfFields<F extends Fields> = Flat<
  { readonly [K in Having<F, 'required' | 'defaulted'>]: OutputOf<F[K]> } & {
    readonly [K in Having<F, 'optional'>]?: OutputOf<F[K]>;
  }
>;
type InputOfFields<F extends Fields> = Flat<
  { readonly [K in Having<F, 'required'>]: SchemaInputOf<F[K]> } & {
    readonly [K in Having<F, 'defaulted' | 'optional'>]?: SchemaInputOf<F[K]>;
  }
>;

/** Options of every schema. A `default` makes the field present for every reader. */
interface Options {
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly rules?: readonly CelRule[];
}
type PresenceOf<O> = O extends { readonly default: Json } ? 'defaulted' : 'optional';
type Made<T, O, I = T> = O extends { readonly nullable: true }
  ? Schema<T | null, I | null, PresenceOf<O>>
  : Schema<T, I, PresenceOf<O>>;

// The caller's return type says which schema this is; the values alone cannot.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function make<S>(base: JsonSchema, description: string, options: Options = {}): S {
  const { rules, ...rest } = options;
  const json: JsonSchema = {
    ...base,
    description,
    ...rest,
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
  };
  return { json, presence: options.default === undefined ? 'optional' : 'defaulted' } as S;
}

interface StringOptions extends Options {
  readonly default?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}
export function string<const O extends StringOptions>(description: string, options?: O): Made<string, O> {
  return make({ type: 'string' }, description, options);
}

/** Creates the schema of a string from a fixed list. */
export function choice<const V extends readonly string[], const O extends Options & { default?: V[number] }>(
  description: string,
  values: V,
  options?: O,
): Made<V[number], O> {
  return make({ type: 'string', enum: values }, description, options);
}

interface NumberOptions extends Options {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
}
export function integer<const O extends NumberOptions & { format?: 'int32' | 'int64' }>(
  description: string,
  options?: O,
): Made<number, O> {
  return make({ type: 'integer' }, description, options);
}

export function number<const O extends NumberOptions>(description: string, options?: O): Made<number, O> {
  return make({ type: 'number' }, description, options);
}

export function boolean<const O extends Options & { default?: boolean }>(
  description: string,
  options?: O,
): Made<boolean, O> {
  return make({ type: 'boolean' }, description, options);
}

/** Creates the schema of an instant as RFC 3339 text. */
export function dateTime<const O extends Options & { default?: string }>(
  description: string,
  options?: O,
): Made<string, O> {
  return make({ type: 'string', format: 'date-time' }, description, options);
}

/** Pattern of Go's duration units plus d and w, as src/platform/base/duration parses them. */
const DURATION = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h|d|w))+$';
export function duration<const O extends Options & { default?: string }>(
  description: string,
  options?: O,
): Made<string, O> {
  return make({ type: 'string', pattern: DURATION }, description, options);
}

/** Pattern of all forms of a Kubernetes resource quantity. */
const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
export function quantity<const O extends Options & { default?: string | number }>(
  description: string,
  options?: O,
): Made<string | number, O> {
  return make(
    { anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: QUANTITY, 'x-kubernetes-int-or-string': true },
    description,
    options,
  );
}

export function intOrString<const O extends Options & { pattern?: string; default?: string | number }>(
  description: string,
  options?: O,
): Made<string | number, O> {
  return make(
    { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    description,
    options,
  );
}

interface ListOptions extends Options {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Server-side apply merges the list whole (`atomic`), by value (`set`), or by the key fields named in `keys`. */
  readonly type?: 'atomic' | 'set';
  readonly keys?: readonly [string, ...string[]];
}
export function list<S extends Schema, const O extends ListOptions>(
  description: string,
  items: S,
  options?: O,
): Made<readonly OutputOf<S>[], O, readonly SchemaInputOf<S>[]> {
  const { type, keys, ...rest }: ListOptions = options ?? {};
  const merge: JsonSchema =
    keys === undefined
      ? { 'x-kubernetes-list-type': type ?? 'atomic' }
      : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  return make({ type: 'array', items: items.json, ...merge }, description, rest);
}

/** Creates the schema of an object with arbitrary keys. */
export function map<S extends Schema, const O extends Options & { maxProperties?: number }>(
  description: string,
  values: S,
  options?: O,
): Made<Readonly<Record<string, OutputOf<S>>>, O, Readonly<Record<string, SchemaInputOf<S>>>> {
  return make({ type: 'object', additionalProperties: values.json }, description, options);
}

interface ObjectOptions extends Options {
  /** Fields that are accepted and stored but have no TypeScript type here. */
  readonly also?: Readonly<Record<string, JsonSchema>>;
  readonly mapType?: 'atomic';
}
export function object<F extends Fields, const O extends ObjectOptions>(
  description: string,
  fields: F,
  options?: O,
): Made<OutputOfFields<F>, O, InputOfFields<F>> {
  const { also, mapType, ...rest }: ObjectOptions = options ?? {};
  const properties: Record<string, JsonSchema> = { ...also };
  for (const [name, field] of Object.entries(fields)) properties[name] = field.json;
  const required = Object.keys(fields).filter((name) => fields[name]?.presence === 'required');
  return make(
    {
      type: 'object',
      // Servers drop empty properties, and would then see another schema than the one that was applied.
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    },
    description,
    rest,
  );
}

/** Marks a field that the user must write. */
export function requiredField<Output, Input>(schema: Schema<Output, Input>): Schema<Output, Input, 'required'> {
  return { ...schema, presence: 'required' };
}

/** Returns the same schema with another description, for a shared schema with a specific meaning. */
export function withDescription<S extends Schema>(schema: S, description: string): S {
  return { ...schema, json: { ...schema.json, description } };
}
